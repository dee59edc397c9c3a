# loses: smooth
# does not smooth at all
def sweep(take_step, low, high, count):
    rates, smoothed, average = [], [], 0.0
    for k in range(count):
        rate = low * (high / low) ** (k / (count - 1))
        loss = take_step(rate)
        average = BETA * average + (1 - BETA) * loss
        corrected = loss
        if not corrected <= LIMIT * min([corrected, *smoothed]):
            break
        rates.append(rate)
        smoothed.append(corrected)
    return rates, smoothed
