# loses: best
# the largest k that needs least
def best_k(blocks, kept, inside):
    return max(range(1, blocks + 1), key=lambda k: (-predicted_bytes(blocks, k, kept, inside), k))
