# loses: edges
# divides by a warm-up of 0
def rate_at(step, steps, warmup, peak, low, shape):
    step = min(step, steps - 1)
    share = (step + 1) / warmup
    if step < warmup:
        return peak * share
    top = max(0, warmup - 1)
    done = (step - top) / (steps - 1 - top)
    if shape == "cosine":
        done = (1 - math.cos(math.pi * done)) / 2
    return peak + (low - peak) * done
