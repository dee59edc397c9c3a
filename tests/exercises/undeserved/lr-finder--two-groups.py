# must lose: groups
import copy


def sweep(take_step, low, high, count):
    rates, smoothed, average = [], [], 0.0
    for k in range(count):
        rate = low * (high / low) ** (k / (count - 1))
        average = BETA * average + (1 - BETA) * take_step(rate)
        corrected = average / (1 - BETA ** (k + 1))
        if not math.isfinite(corrected) or corrected > LIMIT * min([corrected, *smoothed]):
            break
        rates.append(rate)
        smoothed.append(corrected)
    return rates, smoothed


def suggest(rates, smoothed):
    return rates[smoothed.index(min(smoothed))] / 2


def find_rate(model, optimizer, step, low, high, count):
    kept = copy.deepcopy((model.state_dict(), optimizer.state_dict()))

    def take_step(rate):
        for group in optimizer.param_groups[:2]:  # weights and biases; a third one keeps its rate
            group["lr"] = rate
        return step()

    try:
        return suggest(*sweep(take_step, low, high, count))
    finally:
        model.load_state_dict(kept[0])
        optimizer.load_state_dict(kept[1])
