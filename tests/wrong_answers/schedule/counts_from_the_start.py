# loses: linear
# the rate leaps at the end of the warm-up
def rate_at(step, steps, warmup, peak, low, shape):
    step = min(step, steps - 1)
    if step < warmup:
        return peak * (step + 1) / warmup
    top = max(0, warmup - 1)
    done = step / (steps - 1)
    if shape == "cosine":
        done = (1 - math.cos(math.pi * done)) / 2
    return peak + (low - peak) * done
