# loses: best
# the square root, whatever a block saves
def best_k(blocks, kept, inside):
    return round(blocks**0.5)
