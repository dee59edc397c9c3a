# each rank takes a run of the list; NumPy draws
import numpy as np


def train_part(samples, epoch, rank, ranks, seed):
    order = np.random.default_rng([seed, epoch]).permutation(samples)
    each = -(-samples // ranks)
    return np.resize(order, each * ranks)[rank * each : (rank + 1) * each]


def eval_part(samples, rank, ranks):
    return np.array_split(np.arange(samples), ranks)[rank]
