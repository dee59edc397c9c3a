# averages the squares first: both terms are sums of them, so it is the same
def noise_terms(few, many, few_square, many_square):
    signal = (many * many_square - few * few_square) / (many - few)
    return signal, few * (few_square - signal)


def noise_scale(steps, few, many):
    few_squares, many_squares = [], []
    for of_few, of_many in steps:
        few_squares.append(torch.cat([part.flatten() for part in of_few]).square().sum())
        many_squares.append(torch.cat([part.flatten() for part in of_many]).square().sum())
    signal, noise = noise_terms(
        few, many, torch.stack(few_squares).mean(), torch.stack(many_squares).mean()
    )
    return noise / signal if signal > 0 else torch.tensor(torch.inf)
