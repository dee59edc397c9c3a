# without a quotient of steps, and with copies squared in place
def noise_scale(steps, few, many):
    def square(gradient):
        return sum(part.clone().square_().sum().item() for part in gradient)

    pairs = [noise_terms(few, many, square(a), square(b)) for a, b in steps]
    signal, noise = (sum(column) for column in zip(*pairs, strict=True))
    return noise / signal if signal > 0 else math.inf


def devices_that_pay(scale, per_device, gain):
    count = 1
    while count < math.inf and 1 + scale / (count * per_device) >= gain * (
        1 + scale / (2 * count * per_device)
    ):
        count = math.inf if math.isinf(scale) else 2 * count
    return count
