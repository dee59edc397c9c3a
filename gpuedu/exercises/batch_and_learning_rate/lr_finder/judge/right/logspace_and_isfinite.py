# float32 rates from torch, and a question for what is finite
def sweep(take_step, low, high, count):
    ladder = torch.logspace(*torch.tensor([low, high]).log10().tolist(), count).tolist()
    rates, smoothed = [], []
    average, best = 0.0, float("inf")
    for n, rate in enumerate(ladder, 1):
        average += (1 - BETA) * (take_step(rate) - average)
        value = torch.tensor(average / (1 - BETA**n), dtype=torch.float64)
        if not value.isfinite() or value > LIMIT * best:
            return rates, smoothed
        best = min(best, value.item())
        rates.append(rate)
        smoothed.append(value.item())
    return rates, smoothed


def suggest(rates, smoothed):
    return 0.5 * torch.tensor(rates)[torch.tensor(smoothed).argmin()]
