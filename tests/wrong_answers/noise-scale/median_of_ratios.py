# loses: averages
# the median of the steps' ratios
def noise_scale(steps, few, many):
    def square(gradient):
        return sum(float((part**2).sum()) for part in gradient)

    pairs = [noise_terms(few, many, square(a), square(b)) for a, b in steps]
    return statistics.median(n / s if s > 0 else float("inf") for s, n in pairs)
