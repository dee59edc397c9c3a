# loses: choice
# the tree for large tensors
def choose(ranks, size_bytes, alpha_s, bytes_per_s):
    return "tree" if size_bytes >= crossover(ranks, alpha_s, bytes_per_s) else "ring"
