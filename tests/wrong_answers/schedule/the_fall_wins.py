# loses: edges
# the last step has low, also in a run that is all warm-up
def rate_at(step, steps, warmup, peak, low, shape):
    if step >= steps - 1:
        return low
    if step < warmup:
        return peak * (step + 1) / warmup
    top = max(0, warmup - 1)
    done = (step - top) / (steps - 1 - top)
    if shape == "cosine":
        done = (1 - math.cos(math.pi * done)) / 2
    return peak + (low - peak) * done
