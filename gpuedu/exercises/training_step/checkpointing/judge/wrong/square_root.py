# loses: best
# asks: 11 needs 51200. The square root of the blocks is right where `kept` and `inside` are
#   equal.
def best_k(blocks, kept, inside):
    return round(blocks**0.5)
