# loses: samples
# range(38.0) is an error
def rescale(batch, steps, warmup, peak, new_batch, rule):
    grows = new_batch / batch
    factor = grows if rule == "linear" else math.sqrt(grows)
    return steps / grows, warmup / grows, peak * factor
