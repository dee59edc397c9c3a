# loses: best
# asks: 1 needs 48. Is that end in the range that you search?
def best_k(blocks, kept, inside):
    return min(range(2, blocks + 1), key=lambda k: predicted_bytes(blocks, k, kept, inside))
