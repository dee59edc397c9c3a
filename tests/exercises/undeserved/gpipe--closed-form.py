# must lose: enough
def gpipe(stage, stages, micro_batches):
    """What one stage does, in order."""
    forward = [("forward", m) for m in range(micro_batches)]
    backward = [("backward", m) for m in range(micro_batches)]
    return forward + backward


def bubble(stages, micro_batches):
    """The share of the time in which a stage is idle."""
    return (stages - 1) / (micro_batches + stages - 1)


def micro_batches_for(stages, share):
    return max(1, math.ceil((stages - 1) / share - (stages - 1)))
