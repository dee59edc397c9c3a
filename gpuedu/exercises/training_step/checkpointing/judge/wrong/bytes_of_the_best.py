# loses: best
# asks: That is how many bytes the best k needs. Asked is the k itself.
def best_k(blocks, kept, inside):
    return min(predicted_bytes(blocks, k, kept, inside) for k in range(1, blocks + 1))
