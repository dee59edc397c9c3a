"""A hazard as a picture needs it: which cells of the array, which threads, which lines."""

from __future__ import annotations

from dataclasses import dataclass

from gpuedu.lens.listing import line_texts
from gpuedu.trace.records import Finding, Operation, Place, Thread, Trace

_AROUND = 5
_ELSEWHERE = "is elsewhere"
_VERBS = {
    frozenset({Operation.LOAD}): "reads",
    frozenset({Operation.STORE}): "writes",
    frozenset({Operation.ATOMIC}): "updates",
}


@dataclass(frozen=True)
class Actor:
    """A thread at a line of source, and what it does to the array there."""

    thread: Thread
    place: Place | None
    text: str
    verb: str

    @property
    def name(self) -> str:
        """The thread in words, with as many indices as the launch has dimensions."""
        index, block, ndim = self.thread.thread, self.thread.block, self.thread.ndim
        return f"thread {_index(index, ndim)} of block {_index(block, ndim)}"


@dataclass(frozen=True)
class HazardView:
    """One finding with the neighborhood of its element.

    ``cells`` are indices along dimension ``axis`` of the array, in order, ``index`` the element's
    own; ``length`` is how long that dimension is, so ``index`` may be beyond it, or None if the
    trace does not say. ``cells`` is empty if the finding is not about an element.
    """

    finding: Finding
    actors: tuple[Actor, ...]
    shape: tuple[int, ...] = ()
    axis: int = 0
    length: int | None = None
    cells: tuple[int, ...] = ()

    @property
    def index(self) -> int:
        """The element's index along the axis."""
        return self.finding.index[self.axis]

    @property
    def is_inside(self) -> bool:
        """Whether the element exists, as far as the trace says."""
        return self.has(self.index)

    def has(self, cell: int) -> bool:
        """Whether the array has a cell along the axis."""
        return cell >= 0 and (self.length is None or cell < self.length)

    def name(self, cell: int) -> str:
        """A cell as the kernel would write it, the other dimensions as in the finding."""
        index = list(self.finding.index)
        index[self.axis] = cell
        return f"{self.finding.array}[{', '.join(map(str, index))}]"


def hazard_view(trace: Trace, finding: Finding) -> HazardView:
    """The picture's content for a finding of a trace."""
    both = ((finding.who, finding.place, "waits"), (finding.other, finding.other_place, _ELSEWHERE))
    actors = tuple(
        _actor(trace, finding, thread, place, absent)
        for thread, place, absent in both
        if thread is not None
    )
    shapes = {use.array: use.shape for use in trace.arrays}
    shape = shapes.get(finding.array, ())
    if not finding.index:
        return HazardView(finding, actors)
    if len(shape) != len(finding.index):
        return _unbounded(finding, actors)
    axis = _axis(finding.index, shape)
    cells = _window(finding.index[axis], shape[axis])
    return HazardView(finding, actors, shape, axis, shape[axis], cells)


def _unbounded(finding: Finding, actors: tuple[Actor, ...]) -> HazardView:
    """The neighborhood in an array of unknown shape; nothing is said of its end."""
    axis = len(finding.index) - 1
    index = finding.index[axis]
    if finding.kind == "out-of-bounds" or min(finding.index) < 0:
        return HazardView(finding, actors)
    cells = range(max(0, index - _AROUND), index + _AROUND + 1)
    return HazardView(finding, actors, (), axis, None, tuple(cells))


def _axis(index: tuple[int, ...], shape: tuple[int, ...]) -> int:
    """The first dimension that the index leaves, else the last."""
    outside = (d for d, (i, n) in enumerate(zip(index, shape, strict=True)) if not 0 <= i < n)
    return next(outside, len(shape) - 1)


def _window(index: int, length: int) -> tuple[int, ...]:
    """Cells near the element; for one that is outside, the near end of the array and itself."""
    if index >= length:
        own = range(max(0, length - 2 * _AROUND), length)
        return (*own, *((length,) if index > length else ()), index)
    if index < 0:
        return (index, *range(min(length, 2 * _AROUND)))
    start = max(0, min(index - _AROUND, length - 2 * _AROUND - 1))
    return tuple(range(start, min(length, start + 2 * _AROUND + 1)))


def _actor(
    trace: Trace, finding: Finding, thread: Thread, place: Place | None, absent: str
) -> Actor:
    """A thread of a finding; ``absent`` is what it does at a barrier that not all reach."""
    own = frozenset(
        site.operation
        for site in trace.sites
        if site.place == place and site.array == finding.array
    )
    text = line_texts(trace.launch).get(place, "") if place else ""
    usual = "uses it" if finding.array else absent if finding.kind == "divergent-barrier" else ""
    return Actor(thread, place, text, _VERBS.get(own, usual))


def _index(index: tuple[int, int, int], ndim: int) -> str:
    """An index (x, y, z) with at least ``ndim`` of its entries, and no zeros behind them.

    >>> _index((3, 0, 0), 1), _index((3, 0, 0), 2), _index((3, 1, 0), 1)
    ('3', '(3, 0)', '(3, 1)')
    """
    shown = max(ndim, 3 if index[2] else 2 if index[1] else 1)
    return str(index[0]) if shown == 1 else str(index[:shown])
