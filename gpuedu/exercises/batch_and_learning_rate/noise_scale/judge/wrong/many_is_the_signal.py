# loses: terms
# asks: There the square of many is taken for the signal. It still has its own part of the
#   noise: `noise / many`.
def noise_terms(few, many, few_square, many_square):
    return many_square, few * (few_square - many_square)
