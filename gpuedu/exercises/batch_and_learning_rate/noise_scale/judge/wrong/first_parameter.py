# loses: norms
# asks: That is with the first parameter alone. A gradient has a part for each.
def noise_scale(steps, few, many):
    pairs = [
        noise_terms(few, many, float((a[0] ** 2).sum()), float((b[0] ** 2).sum())) for a, b in steps
    ]
    signal = statistics.fmean(pair[0] for pair in pairs)
    noise = statistics.fmean(pair[1] for pair in pairs)
    return noise / signal if signal > 0 else float("inf")
