# loses: cosine
# the step behind the warm-up has the peak, too
def rate_at(step, steps, warmup, peak, low, shape):
    step = min(step, steps - 1)
    if step < warmup:
        return peak * (step + 1) / warmup
    top = warmup
    done = (step - top) / max(1, steps - 1 - top)
    if shape == "cosine":
        done = (1 - math.cos(math.pi * done)) / 2
    return peak + (low - peak) * done
