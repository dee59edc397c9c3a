# loses: smooth
# keeps a tenth of the average
def sweep(take_step, low, high, count):
    rates, smoothed, average = [], [], 0.0
    for k in range(count):
        rate = low * (high / low) ** (k / (count - 1))
        loss = take_step(rate)
        average = (1 - BETA) * average + BETA * loss
        corrected = average / (1 - (1 - BETA) ** (k + 1))
        if not corrected <= LIMIT * min([corrected, *smoothed]):
            break
        rates.append(rate)
        smoothed.append(corrected)
    return rates, smoothed
