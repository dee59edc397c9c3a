# loses: stop
# asks: It took every step, and looked at the losses only afterward. What do steps with too high a
#   rate do?
def sweep(take_step, low, high, count):
    rates = [low * (high / low) ** (k / (count - 1)) for k in range(count)]
    losses = [take_step(rate) for rate in rates]
    smoothed, average = [], 0.0
    for k, loss in enumerate(losses):
        average = BETA * average + (1 - BETA) * loss
        corrected = average / (1 - BETA ** (k + 1))
        if not corrected <= LIMIT * min([corrected, *smoothed]):
            break
        smoothed.append(corrected)
    return rates[: len(smoothed)], smoothed
