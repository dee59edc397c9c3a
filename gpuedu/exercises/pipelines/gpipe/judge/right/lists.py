# lists as entries, numbers of NumPy
import itertools

import numpy as np


def gpipe(stage, stages, micro_batches):
    return [[kind, m] for kind in ("forward", "backward") for m in np.arange(micro_batches)]


def bubble(stages, micro_batches):
    idle = np.float64(stages - 1)
    return idle / (idle + micro_batches)


def micro_batches_for(stages, share):
    return next(m for m in itertools.count(1) if bubble(stages, m) <= share)
