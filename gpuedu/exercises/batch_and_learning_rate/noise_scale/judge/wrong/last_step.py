# loses: averages
# asks: That is the last step alone.
def noise_scale(steps, few, many):
    for a, b in steps:
        squares = [sum(float((part**2).sum()) for part in one) for one in (a, b)]
        signal, noise = noise_terms(few, many, *squares)
    return noise / signal if signal > 0 else float("inf")
