# loses: averages
# the median of the signals, and that of the noises
def noise_scale(steps, few, many):
    def square(gradient):
        return sum(float((part**2).sum()) for part in gradient)

    pairs = [noise_terms(few, many, square(a), square(b)) for a, b in steps]
    signal, noise = (statistics.median(column) for column in zip(*pairs, strict=True))
    return noise / signal if signal > 0 else float("inf")
