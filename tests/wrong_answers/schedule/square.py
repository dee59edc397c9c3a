# loses: peak
# the square for the root
def rescale(batch, steps, warmup, peak, new_batch, rule):
    grows = new_batch / batch
    factor = grows if rule == "linear" else grows**2
    return round(steps / grows), round(warmup / grows), peak * factor
