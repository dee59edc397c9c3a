# loses: best
# leaves out as many as blocks
def best_k(blocks, kept, inside):
    return min(range(1, blocks), key=lambda k: predicted_bytes(blocks, k, kept, inside))
