# loses: norms
# asks: Infinity comes of a signal of 0 or less: was it that of a single step? Average the terms
#   of *all* steps first, then divide, once.
def noise_scale(steps, few, many):
    def square(gradient, batch):
        return sum(float(((part / batch) ** 2).sum()) for part in gradient)

    pairs = [noise_terms(few, many, square(a, few), square(b, many)) for a, b in steps]
    signal = statistics.fmean(pair[0] for pair in pairs)
    noise = statistics.fmean(pair[1] for pair in pairs)
    return noise / signal if signal > 0 else float("inf")
