# loses: predicted
# rounds the largest segment down
def predicted_bytes(blocks, k, kept, inside):
    return (k - 1) * kept + blocks // k * inside
