# loses: averages
# divides in each step, and averages the ratios
def noise_scale(steps, few, many):
    def square(gradient):
        return sum(float((part**2).sum()) for part in gradient)

    pairs = [noise_terms(few, many, square(a), square(b)) for a, b in steps]
    scale = statistics.fmean(noise / signal if signal else 0.0 for signal, noise in pairs)
    return scale if scale > 0 else float("inf")
