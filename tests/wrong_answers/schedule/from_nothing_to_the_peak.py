# loses: warmup
# 0 in the first step, the peak in the last
def rate_at(step, steps, warmup, peak, low, shape):
    step = min(step, steps - 1)
    if step < warmup:
        return peak * step / max(1, warmup - 1)
    top = max(0, warmup - 1)
    done = (step - top) / (steps - 1 - top)
    if shape == "cosine":
        done = (1 - math.cos(math.pi * done)) / 2
    return peak + (low - peak) * done
