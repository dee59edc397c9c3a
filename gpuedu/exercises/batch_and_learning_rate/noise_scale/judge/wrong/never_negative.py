# loses: terms
# asks: The signal of one step may be negative: it is an estimate. With every such one set to 0,
#   the average comes out too high.
def noise_terms(few, many, few_square, many_square):
    noise = (few_square - many_square) / (1 / few - 1 / many)
    return max(0.0, many_square - noise / many), noise
