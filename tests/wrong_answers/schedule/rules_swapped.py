# loses: peak
# the root for linear
def rescale(batch, steps, warmup, peak, new_batch, rule):
    grows = new_batch / batch
    factor = math.sqrt(grows) if rule == "linear" else grows
    return round(steps / grows), round(warmup / grows), peak * factor
