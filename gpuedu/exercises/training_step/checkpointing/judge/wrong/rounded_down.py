# loses: predicted
# asks: Where k does not divide the blocks, one segment has one more. Rounded up, not down.
def predicted_bytes(blocks, k, kept, inside):
    return (k - 1) * kept + blocks // k * inside
