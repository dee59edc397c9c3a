# NaN and infinity by name, before the limit
def sweep(take_step, low, high, count):
    rates, smoothed, average = [], [], 0.0
    for k in range(count):
        rate = low * (high / low) ** (k / (count - 1))
        average = BETA * average + (1 - BETA) * take_step(rate)
        corrected = average / (1 - BETA ** (k + 1))
        if math.isnan(corrected) or math.isinf(corrected):
            break
        if smoothed and corrected > LIMIT * min(smoothed):
            break
        rates.append(rate)
        smoothed.append(corrected)
    return rates, smoothed
