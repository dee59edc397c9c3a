# loses: stop
# asks: Is what stopped the sweep in your lists?
def sweep(take_step, low, high, count):
    rates, smoothed, average = [], [], 0.0
    for k in range(count):
        rates.append(low * (high / low) ** (k / (count - 1)))
        average = BETA * average + (1 - BETA) * take_step(rates[-1])
        smoothed.append(average / (1 - BETA ** (k + 1)))
        if not smoothed[-1] <= LIMIT * min(smoothed):
            break
    return rates, smoothed
