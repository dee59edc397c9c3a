# loses: predicted
# asks: That keeps the first segment's input, too: it is the batch, which is there anyway.
def predicted_bytes(blocks, k, kept, inside):
    return k * kept + -(-blocks // k) * inside
