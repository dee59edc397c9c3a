# loses: averages
# the mean of the ratios, of steps whose signal is positive
def noise_scale(steps, few, many):
    def square(gradient):
        return sum(float((part**2).sum()) for part in gradient)

    pairs = [noise_terms(few, many, square(a), square(b)) for a, b in steps]
    ratios = [noise / signal for signal, noise in pairs if signal > 0]
    return statistics.fmean(ratios) if ratios else float("inf")
