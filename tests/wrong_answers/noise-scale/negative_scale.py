# loses: endless
# divides whatever the signal is
def noise_scale(steps, few, many):
    def square(gradient):
        return sum(float((part**2).sum()) for part in gradient)

    pairs = [noise_terms(few, many, square(a), square(b)) for a, b in steps]
    signal = statistics.fmean(pair[0] for pair in pairs)
    noise = statistics.fmean(pair[1] for pair in pairs)
    return noise / signal if signal != 0 else float("inf")
