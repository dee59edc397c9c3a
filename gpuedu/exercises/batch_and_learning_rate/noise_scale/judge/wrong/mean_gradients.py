# loses: averages
# asks: Infinity comes of a signal of 0 or less: was it that of a single step? Average the terms
#   of *all* steps first, then divide, once.
def noise_scale(steps, few, many):
    squares = []
    for which in (0, 1):
        parts = zip(*(step[which] for step in steps), strict=True)
        means = [torch.stack(part).mean(dim=0) for part in parts]
        squares.append(sum(float((mean**2).sum()) for mean in means))
    signal, noise = noise_terms(few, many, *squares)
    return noise / signal if signal > 0 else float("inf")
