# arrays of NumPy, and layers from the last to the first
import numpy as np


def kept_bytes(layers, ranks, stage):
    n = np.array(layers, dtype=np.int64)
    piece = -(-n // ranks)
    sizes = [piece if stage > at else n for at in (2, 1, 0)]
    return [int(each * one.sum()) for each, one in zip((2, 2, 12), sizes)]


def peak_bytes(layers, ranks, stage):
    kept = sum(kept_bytes(layers, ranks, stage))
    if stage < 2:
        return kept
    whole = [-(-n // ranks) * ranks * 2 for n in layers]
    there = []
    while whole:
        last = whole.pop()
        there.append(last if stage == 2 else sum(whole[-1:], 2 * last))
    return float(kept + max(there))


def stage_needed(layers, ranks, memory_bytes):
    fits = [one for one in (0, 1, 2, 3) if peak_bytes(layers, ranks, one) <= memory_bytes]
    return min(fits, default=float("inf"))
