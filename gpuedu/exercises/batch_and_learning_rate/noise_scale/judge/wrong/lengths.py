# loses: norms
# asks: That is with lengths. The law is about their squares.
def noise_scale(steps, few, many):
    def length(gradient):
        return sum(float((part**2).sum()) for part in gradient) ** 0.5

    pairs = [noise_terms(few, many, length(a), length(b)) for a, b in steps]
    signal = statistics.fmean(pair[0] for pair in pairs)
    noise = statistics.fmean(pair[1] for pair in pairs)
    return noise / signal if signal > 0 else float("inf")
