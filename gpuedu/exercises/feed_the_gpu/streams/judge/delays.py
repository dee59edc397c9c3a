"""Where a pipeline is slow: an operation that begins when one ends of which it needs nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from gpuedu.exercises.feed_the_gpu.streams.pipelines import LAUNCH_S

Stage = Sequence[tuple[float, float]]
"""Start and end of each chunk's operation."""
Place = tuple[int, int]
"""A stage, and a chunk."""

_COPY_IN, _KERNEL, _COPY_BACK = range(3)
_NAMES = ("copy in", "kernel", "copy back")
_NEEDED = {
    _COPY_IN: ((_KERNEL, -2), (_COPY_IN, -1)),
    _KERNEL: ((_COPY_IN, 0), (_COPY_BACK, -2), (_KERNEL, -1)),
    _COPY_BACK: ((_KERNEL, 0), (_COPY_BACK, -1)),
}
"""What may hold an operation, with how many chunks later: the engine's last, and what it needs."""
_NEAR_S = 4 * LAUNCH_S
_FAR = 3


def needless_wait(stages: Sequence[Stage]) -> str:
    """The commonest of these pairs, told of the first chunk that has it; "" where there is none.

    Args:
        stages: copies in, kernels and copies back, each in the order of the chunks.
    """
    if len({len(stage) for stage in stages}) != 1:
        return ""
    found = list(_needless(stages))
    counted = Counter((one[0], other[0], other[1] - one[1]) for one, other in found)
    for one, other in found:
        if counted[one[0], other[0], other[1] - one[1]] == max(counted.values()):
            return f"the {_name(one)} begins when the {_name(other)} ends"
    return ""


def _needless(stages: Sequence[Stage]) -> Iterator[tuple[Place, Place]]:
    """Operations that nothing held which they need, with what ended when they began."""
    for stage, line in enumerate(stages):
        for i in range(2, len(line)):
            ends = [
                (other, j)
                for other, others in enumerate(stages)
                for j in range(max(0, i - _FAR), min(len(others), i + _FAR))
                if (other, j) != (stage, i) and abs(others[j][1] - line[i][0]) < _NEAR_S
            ]
            if not any((other, j - i) in _NEEDED[stage] for other, j in ends):
                yield from (((stage, i), end) for end in ends)


def _name(place: Place) -> str:
    return f"{_NAMES[place[0]]} of chunk {place[1]}"
