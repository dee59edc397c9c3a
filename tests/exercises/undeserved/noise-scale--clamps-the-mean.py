# must lose: averages
def noise_terms(few, many, few_square, many_square):
    noise = (few_square - many_square) / (1 / few - 1 / many)
    signal = many_square - noise / many
    return signal, noise


def devices_that_pay(scale, per_device, gain):
    if math.isinf(scale):
        return scale

    def steps(batch):
        return 1 + scale / batch

    batch = per_device
    while steps(batch) / steps(2 * batch) >= gain:
        batch *= 2
    return batch // per_device


def noise_scale(steps, few, many):
    def square(gradient):
        return sum(float((part**2).sum()) for part in gradient)

    pairs = [noise_terms(few, many, square(a), square(b)) for a, b in steps]
    signal = statistics.fmean(pair[0] for pair in pairs)
    noise = statistics.fmean(pair[1] for pair in pairs)
    if signal <= 0:
        return float("inf")
    return max(noise, 0.0) / signal
