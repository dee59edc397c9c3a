# A named pair, and the dict from the two functions.
from collections import namedtuple

Roof = namedtuple("Roof", "flop_per_s name")


def attainable(per_l1_byte, per_memory_byte, device):
    return min(
        Roof(device["tflop_per_s"] * 1e12, "arithmetic"),
        Roof(per_l1_byte * device["l1_gb_per_s"] * 1e9, "L1"),
        Roof(per_memory_byte * device["memory_gb_per_s"] * 1e9, "device memory"),
    )


limits = {name: attainable(*intensities(counts[name]), H200).name for name in counts}
