# loses: best
# asks: Another k needs as little: the least of them is asked for.
def best_k(blocks, kept, inside):
    return max(range(1, blocks + 1), key=lambda k: (-predicted_bytes(blocks, k, kept, inside), k))
