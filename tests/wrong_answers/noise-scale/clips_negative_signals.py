# loses: averages
# a square cannot be negative, so it is set to 0
def noise_scale(steps, few, many):
    def square(gradient):
        return sum(float((part**2).sum()) for part in gradient)

    pairs = [noise_terms(few, many, square(a), square(b)) for a, b in steps]
    signal = statistics.fmean(max(0.0, pair[0]) for pair in pairs)
    noise = statistics.fmean(pair[1] for pair in pairs)
    return noise / signal if signal > 0 else float("inf")
