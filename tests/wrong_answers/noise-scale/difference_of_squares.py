# loses: terms
# the difference of the squares is the noise
def noise_terms(few, many, few_square, many_square):
    noise = few_square - many_square
    return many_square - noise / many, noise
