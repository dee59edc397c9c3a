# loses: samples
# a larger batch for as many steps
def rescale(batch, steps, warmup, peak, new_batch, rule):
    grows = new_batch / batch
    factor = grows if rule == "linear" else math.sqrt(grows)
    return steps, warmup, peak * factor
