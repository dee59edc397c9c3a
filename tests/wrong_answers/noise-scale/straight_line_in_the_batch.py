# loses: terms
# a line over the batch, not over one by the batch
def noise_terms(few, many, few_square, many_square):
    noise = (few_square - many_square) / (many - few)
    return many_square - noise / many, noise
