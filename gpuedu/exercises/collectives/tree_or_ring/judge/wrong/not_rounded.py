# loses: crossover
# asks: A tree has whole rounds: log2 n is rounded up.
def crossover(ranks, alpha_s, bytes_per_s):
    depth = np.log2(ranks)
    return (ranks - 1 - depth) * alpha_s * bytes_per_s / (depth - (ranks - 1) / ranks)
