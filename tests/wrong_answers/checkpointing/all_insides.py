# loses: predicted
# all segments open at once
def predicted_bytes(blocks, k, kept, inside):
    return (k - 1) * kept + blocks * inside
