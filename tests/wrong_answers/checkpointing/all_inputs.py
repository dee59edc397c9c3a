# loses: predicted
# counts the batch
def predicted_bytes(blocks, k, kept, inside):
    return k * kept + -(-blocks // k) * inside
