# loses: terms
# asks: Signal first, then noise.
def noise_terms(few, many, few_square, many_square):
    noise = (few_square - many_square) / (1 / few - 1 / many)
    return noise, many_square - noise / many
