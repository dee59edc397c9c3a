# loses: predicted
# takes k for the length of a segment
def predicted_bytes(blocks, k, kept, inside):
    return (k - 1) * kept + k * inside
