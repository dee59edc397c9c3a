# loses: terms
# sets a negative signal to 0
def noise_terms(few, many, few_square, many_square):
    noise = (few_square - many_square) / (1 / few - 1 / many)
    return max(0.0, many_square - noise / many), noise
