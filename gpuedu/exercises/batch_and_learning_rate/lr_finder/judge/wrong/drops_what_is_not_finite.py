# loses: finite
# asks: A comparison with NaN is False, whichever: `nan > anything` never stops. Is there a
#   question for what is finite?
def sweep(take_step, low, high, count):
    rates, smoothed, average, n = [], [], 0.0, 0
    for k in range(count):
        rate = low * (high / low) ** (k / (count - 1))
        loss = float(take_step(rate))
        if loss != loss or loss == float("inf"):
            continue
        n += 1
        average = BETA * average + (1 - BETA) * loss
        corrected = average / (1 - BETA**n)
        if corrected > LIMIT * min([corrected, *smoothed]):
            break
        rates.append(rate)
        smoothed.append(corrected)
    return rates, smoothed
