# loses: crossover
# asks: The rate is in the wrong place. How many bytes pass in one alpha?
def crossover(ranks, alpha_s, bytes_per_s):
    depth = (ranks - 1).bit_length()
    return (ranks - 1 - depth) * alpha_s / bytes_per_s / (depth - (ranks - 1) / ranks)
