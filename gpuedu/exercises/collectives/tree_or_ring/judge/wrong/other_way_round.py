# loses: choice
# asks: The other way round: which of the two is faster for a large tensor?
def choose(ranks, size_bytes, alpha_s, bytes_per_s):
    return "tree" if size_bytes >= crossover(ranks, alpha_s, bytes_per_s) else "ring"
