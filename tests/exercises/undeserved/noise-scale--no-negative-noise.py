# must lose: terms
def noise_terms(few, many, few_square, many_square):
    noise = max(0.0, (few_square - many_square) / (1 / few - 1 / many))
    return many_square - noise / many, noise


def noise_scale(steps, few, many):
    def square(gradient):
        return sum(float((part**2).sum()) for part in gradient)

    pairs = [noise_terms(few, many, square(a), square(b)) for a, b in steps]
    signal = statistics.fmean(pair[0] for pair in pairs)
    noise = statistics.fmean(pair[1] for pair in pairs)
    return noise / signal if signal > 0 else float("inf")


def devices_that_pay(scale, per_device, gain):
    if math.isinf(scale):
        return scale
    devices = 1
    while (1 + scale / (devices * per_device)) / (1 + scale / (2 * devices * per_device)) >= gain:
        devices *= 2
    return devices
