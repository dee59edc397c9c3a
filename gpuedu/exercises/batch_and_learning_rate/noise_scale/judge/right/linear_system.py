# two equations, solved by the library, and sums in place of averages
def noise_terms(few, many, few_square, many_square):
    rows = torch.tensor([[1, 1 / few], [1, 1 / many]], dtype=torch.float64)
    squares = torch.tensor([few_square, many_square], dtype=torch.float64)
    return torch.linalg.solve(rows, squares)


def noise_scale(steps, few, many):
    terms = []
    for pair in steps:
        squares = [sum(part.norm() ** 2 for part in gradient) for gradient in pair]
        terms.append(torch.as_tensor(noise_terms(few, many, *map(float, squares))))
    signal, noise = torch.stack(terms).sum(dim=0).tolist()
    return float("inf") if signal <= 0 else noise / signal
