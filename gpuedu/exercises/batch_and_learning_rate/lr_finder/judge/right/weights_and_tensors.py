# multiplies by a factor; a running sum of weights instead of a power; returns arrays
def sweep(take_step, low, high, count):
    factor = (high / low) ** (1 / (count - 1))
    rates, smoothed, total, weight, rate = [], [], 0.0, 0.0, low
    while len(rates) < count:
        total, weight = BETA * total + take_step(rate), BETA * weight + 1
        value = total / weight
        if value != value or value > LIMIT * min(smoothed, default=float("inf")):
            break
        if value == float("inf"):
            break
        rates.append(rate)
        smoothed.append(value)
        rate *= factor
    return torch.tensor(rates, dtype=torch.float64), torch.tensor(smoothed, dtype=torch.float64)


def suggest(rates, smoothed):
    lowest = min(range(len(smoothed)), key=lambda k: smoothed[k])
    return rates[lowest] / 2
