# loses: crossover
# asks: A tree goes up *and* down: 2 ceil(log2 n) messages, one after another.
def crossover(ranks, alpha_s, bytes_per_s):
    depth = (ranks - 1).bit_length()
    return (
        (2 * (ranks - 1) - depth) * alpha_s * bytes_per_s / (depth - 2 * (ranks - 1) / ranks + 1e-9)
    )
