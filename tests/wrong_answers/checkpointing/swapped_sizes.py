# loses: predicted
# kept and inside in each other's place
def predicted_bytes(blocks, k, kept, inside):
    return (k - 1) * inside + -(-blocks // k) * kept
