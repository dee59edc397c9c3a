# loses: best
# leaves out the whole in one
def best_k(blocks, kept, inside):
    return min(range(2, blocks + 1), key=lambda k: predicted_bytes(blocks, k, kept, inside))
