# loses: cosine
# the shape is not asked for
def rate_at(step, steps, warmup, peak, low, shape):
    step = min(step, steps - 1)
    if step < warmup:
        return peak * (step + 1) / warmup
    top = max(0, warmup - 1)
    done = (step - top) / (steps - 1 - top)
    if shape == "cosine":
        done = done
    return peak + (low - peak) * done
