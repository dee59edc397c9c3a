# loses: terms
# takes the large batch for all data
def noise_terms(few, many, few_square, many_square):
    return many_square, few * (few_square - many_square)
