"""Loading times that the lesson shows: the same mean, spread in different ways."""

from __future__ import annotations

from collections.abc import Sequence

from gpuedu.units import MS

STEP_S, STEPS = 10 * MS, 160
STEADY, RARE, SLOW = "every batch 8 ms", "3 ms, every eighth 43 ms", "every batch 12 ms"


def loads_of(kind: str) -> Sequence[float]:
    """How long each of ``STEPS`` batches takes to load, in seconds.

    >>> [round(sum(loads_of(kind)) / STEPS, 6) for kind in (STEADY, RARE, SLOW)]
    [0.008, 0.008, 0.012]
    """
    if kind == RARE:
        return [(43 if batch % 8 == 7 else 3) * MS for batch in range(STEPS)]
    return [(8 if kind == STEADY else 12) * MS] * STEPS
