# must lose: edges
def rescale(batch, steps, warmup, peak, new_batch, rule):
    grows = new_batch / batch
    factor = grows if rule == "linear" else math.sqrt(grows)
    return round(steps / grows), round(warmup / grows), peak * factor


def rate_at(step, steps, warmup, peak, low, shape):
    step = min(step, steps - 1)
    if step < warmup or warmup >= steps - 1:
        return peak * min(step + 1, warmup) / warmup if warmup else (peak if step == 0 else low)
    top = max(0, warmup - 1)
    done = (step - top) / (steps - 1 - top)
    if shape == "cosine":
        done = (1 - math.cos(math.pi * done)) / 2
    return peak + (low - peak) * done
