# loses: crossover
# rounds of a tree that are not whole
def crossover(ranks, alpha_s, bytes_per_s):
    depth = np.log2(ranks)
    return (ranks - 1 - depth) * alpha_s * bytes_per_s / (depth - (ranks - 1) / ranks)
