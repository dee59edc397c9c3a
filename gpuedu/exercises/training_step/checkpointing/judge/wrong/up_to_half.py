# loses: best
# asks: 4 needs 412. The square root of the blocks is right where `kept` and `inside` are equal.
def best_k(blocks, kept, inside):
    return min(range(1, blocks // 2 + 1), key=lambda k: predicted_bytes(blocks, k, kept, inside))
