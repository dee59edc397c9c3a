# loses: stop
# goes on to the end
def sweep(take_step, low, high, count):
    rates, smoothed, average = [], [], 0.0
    for k in range(count):
        rate = low * (high / low) ** (k / (count - 1))
        loss = take_step(rate)
        average = BETA * average + (1 - BETA) * loss
        corrected = average / (1 - BETA ** (k + 1))
        if False:
            break
        rates.append(rate)
        smoothed.append(corrected)
    return rates, smoothed
