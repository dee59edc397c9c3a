"""What rungs of the ladder do, counted on the machine: a product of 128 x 128 x 128.

To count them again takes longer than a picture may; a test does it.
"""

from __future__ import annotations

from gpuedu.ladder import rung
from gpuedu.lens.ladder import CountedRung
from gpuedu.lens.roofline import RooflinePoint

N = 128
_FLOP = 2 * N**3

COUNTED: dict[str, tuple[int, int, int]] = {
    "by-columns": (76_021_760, 196_608, 69_730_304),
    "naive": (16_842_752, 196_608, 10_551_296),
    "tiled": (17_891_328, 196_608, 589_824),
    "register-tile": (4_784_128, 196_608, 327_680),
    "wide-register-tile": (2_424_832, 196_608, 196_608),
    "vector-loads": (2_621_440, 196_608, 393_216),
    "double-buffer": (2_621_440, 196_608, 393_216),
    "c-warp-tile": (2_424_832, 196_608, 196_608),
}
"""Bytes through the L1 data path, least bytes of device memory, bytes asked of global memory."""


def counted_rungs() -> list[CountedRung]:
    """The rungs from slow to fast, with their place under any roofline."""
    found = []
    for slug, counts in COUNTED.items():
        own = rung(slug)
        point = RooflinePoint(own.title, _FLOP, *counts)
        found.append(CountedRung(slug, own.title, own.language, point))
    return found
