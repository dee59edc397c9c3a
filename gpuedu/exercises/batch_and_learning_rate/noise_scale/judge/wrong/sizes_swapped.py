# loses: terms
# asks: Which square is of which batch? It looks as if the sizes had changed places.
def noise_terms(few, many, few_square, many_square):
    signal = (few * many_square - many * few_square) / (few - many)
    return signal, (few_square - many_square) / (1 / many - 1 / few)
