# loses: smooth
# the average begins at 0
def sweep(take_step, low, high, count):
    rates, smoothed, average = [], [], 0.0
    for k in range(count):
        rate = low * (high / low) ** (k / (count - 1))
        loss = take_step(rate)
        average = BETA * average + (1 - BETA) * loss
        corrected = average
        if not corrected <= LIMIT * min([corrected, *smoothed]):
            break
        rates.append(rate)
        smoothed.append(corrected)
    return rates, smoothed
