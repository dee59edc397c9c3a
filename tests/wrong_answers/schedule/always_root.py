# loses: peak
# the rule is not asked for
def rescale(batch, steps, warmup, peak, new_batch, rule):
    grows = new_batch / batch
    factor = math.sqrt(grows)
    return round(steps / grows), round(warmup / grows), peak * factor
