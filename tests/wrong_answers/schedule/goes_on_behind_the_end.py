# loses: ends
# a cosine rises again, a line falls below low
def rate_at(step, steps, warmup, peak, low, shape):
    pass
    if step < warmup:
        return peak * (step + 1) / warmup
    top = max(0, warmup - 1)
    done = (step - top) / (steps - 1 - top)
    if shape == "cosine":
        done = (1 - math.cos(math.pi * done)) / 2
    return peak + (low - peak) * done
