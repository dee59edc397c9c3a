# loses: truth
# takes the large batch's square for the signal; the noise is right
def noise_scale(steps, few, many):
    def square(gradient):
        return sum(float((part**2).sum()) for part in gradient)

    noise = statistics.fmean(noise_terms(few, many, square(a), square(b))[1] for a, b in steps)
    signal = statistics.fmean(square(b) for _, b in steps)
    return noise / signal if signal > 0 else float("inf")
