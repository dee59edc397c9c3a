# must lose: stage
import itertools
import math


def kept_bytes(layers, ranks, stage):
    whole, share = sum(layers), sum(math.ceil(n / ranks) for n in layers)
    return tuple(
        size * (share if stage >= first else whole) for size, first in ((2, 3), (2, 2), (12, 1))
    )


def peak_bytes(layers, ranks, stage):
    full = [2 * ranks * math.ceil(n / ranks) for n in layers]
    pairs = itertools.pairwise([0, *full])
    passing = {2: max(full), 3: max(before + 2 * size for before, size in pairs)}
    return sum(kept_bytes(layers, ranks, stage)) + passing.get(stage, 0)


def stage_needed(layers, ranks, memory_bytes):
    found = math.inf
    for stage in (3, 2, 1, 0):
        if peak_bytes(layers, ranks, stage) > memory_bytes:
            break  # as if a lower stage always needed more
        found = stage
    return found
