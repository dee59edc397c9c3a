# loses: samples
# a smaller batch has a ratio of 0
def rescale(batch, steps, warmup, peak, new_batch, rule):
    grows = max(1, new_batch // batch)
    factor = grows if rule == "linear" else math.sqrt(grows)
    return round(steps / grows), round(warmup / grows), peak * factor
