# loses: edges
# done is never 0 without a warm-up
def rate_at(step, steps, warmup, peak, low, shape):
    step = min(step, steps - 1)
    if step < warmup:
        return peak * (step + 1) / warmup
    top = warmup
    done = (step + 1 - top) / (steps - top)
    if shape == "cosine":
        done = (1 - math.cos(math.pi * done)) / 2
    return peak + (low - peak) * done
