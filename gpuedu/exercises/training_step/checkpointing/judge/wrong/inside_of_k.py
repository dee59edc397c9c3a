# loses: predicted
# asks: How many blocks are in the largest segment?
def predicted_bytes(blocks, k, kept, inside):
    return (k - 1) * kept + k * inside
