# loses: predicted
# asks: Are all segments open at once? Each is computed again when it is its turn.
def predicted_bytes(blocks, k, kept, inside):
    return (k - 1) * kept + blocks * inside
