# loses: best
# segments of two blocks at least
def best_k(blocks, kept, inside):
    return min(range(1, blocks // 2 + 1), key=lambda k: predicted_bytes(blocks, k, kept, inside))
