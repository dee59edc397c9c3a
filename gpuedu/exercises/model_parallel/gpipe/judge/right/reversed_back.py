# backward in reverse, as in the paper's figure; a formula in place of a loop
import math


def gpipe(stage, stages, micro_batches):
    numbers = list(range(micro_batches))
    actions = []
    for kind in ("forward", "backward"):
        actions.extend((kind, m) for m in numbers)
        numbers.reverse()
    return tuple(actions)


def bubble(stages, micro_batches):
    work = micro_batches
    whole = work + stages - 1
    return 1 - work / whole


def micro_batches_for(stages, share):
    return max(1, math.ceil((stages - 1) * (1 - share) / share))
