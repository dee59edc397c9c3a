# loses: best
# more segments need less
def best_k(blocks, kept, inside):
    return blocks
