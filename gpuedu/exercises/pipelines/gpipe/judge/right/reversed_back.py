# backward in reverse, as in the paper's figure; a formula, and a look at the number before it
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
    found = max(1, math.ceil((stages - 1) * (1 - share) / share))
    return found - 1 if found > 1 and bubble(stages, found - 1) <= share else found
