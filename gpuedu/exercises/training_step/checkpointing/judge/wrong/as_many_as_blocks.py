# loses: best
# asks: 11 needs 51200. One end of the range. In between, one term falls and the other grows.
def best_k(blocks, kept, inside):
    return blocks
