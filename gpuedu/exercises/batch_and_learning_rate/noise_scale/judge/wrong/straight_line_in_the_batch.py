# loses: terms
# asks: Put back, yours give squares of 3.52561 and 3.5248, in place of 5.0441 and 3.5248. Which
#   two equations hold for them?
def noise_terms(few, many, few_square, many_square):
    noise = (few_square - many_square) / (many - few)
    return many_square - noise / many, noise
