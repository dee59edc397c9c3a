# loses: linear
# as in many places: the last step is not low
def rate_at(step, steps, warmup, peak, low, shape):
    step = min(step, steps - 1)
    if step < warmup:
        return peak * (step + 1) / warmup
    top = warmup
    done = (step - top) / (steps - top)
    if shape == "cosine":
        done = (1 - math.cos(math.pi * done)) / 2
    return peak + (low - peak) * done
