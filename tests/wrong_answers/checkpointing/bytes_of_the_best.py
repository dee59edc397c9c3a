# loses: best
# the bytes instead of the k
def best_k(blocks, kept, inside):
    return min(predicted_bytes(blocks, k, kept, inside) for k in range(1, blocks + 1))
