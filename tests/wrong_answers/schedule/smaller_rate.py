# loses: peak
# a larger batch, a smaller rate
def rescale(batch, steps, warmup, peak, new_batch, rule):
    grows = new_batch / batch
    factor = grows if rule == "linear" else math.sqrt(grows)
    return round(steps / grows), round(warmup / grows), peak / factor
