"""Two traces side by side: what changed in total, line by line, and in the findings.

Lines are matched by their text, in order, so that a line keeps its counts when others are written
above it, and a line that was rewritten counts as one gone and one new.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from gpuedu.trace.counts import Counts, count_line
from gpuedu.trace.records import Finding, Place, Source, Trace

_SHOWN = (
    ("executions", "executions"),
    ("global_requests", "global requests"),
    ("sectors", "sectors"),
    ("shared_requests", "shared requests"),
    ("wavefronts", "wavefronts"),
    ("conflicts", "bank conflicts"),
    ("flop", "FLOP"),
)


@dataclass(frozen=True)
class Change:
    """A measure before and after."""

    measure: str
    before: int
    after: int

    @property
    def difference(self) -> int:
        """After minus before."""
        return self.after - self.before

    @property
    def ratio(self) -> float:
        """After in units of before; infinite where there was none before.

        >>> Change("sectors", 320, 80).ratio
        0.25
        """
        if not self.before:
            return float("inf") if self.after else 1.0
        return self.after / self.before

    def __str__(self) -> str:
        return f"{self.measure}: {self.before:,} -> {self.after:,}"


@dataclass(frozen=True)
class LineChange:
    """One line of source in both traces; its place is None where the line is not there."""

    text: str
    before: Place | None
    after: Place | None
    counts_before: Counts
    counts_after: Counts

    @property
    def changes(self) -> tuple[Change, ...]:
        """The measures that differ."""
        return tuple(c for c in _changes(self.counts_before, self.counts_after) if c.difference)


@dataclass(frozen=True)
class Comparison:
    """What changed from one launch to another.

    ``totals`` has every measure, ``lines`` only the lines whose counts changed. A finding is lost
    or gained when its kind at a line of the same text is there in one trace only.
    """

    totals: tuple[Change, ...]
    lines: tuple[LineChange, ...]
    gained: tuple[Finding, ...]
    lost: tuple[Finding, ...]

    def __getitem__(self, measure: str) -> Change:
        """The change in total of a measure, such as ``"sectors"`` or ``"bank conflicts"``."""
        for change in self.totals:
            if change.measure == measure:
                return change
        raise KeyError(f"{measure!r} is none of {[change.measure for change in self.totals]}")

    def __str__(self) -> str:
        out = ["in total"]
        out += [f"  {change}" for change in self.totals if change.before or change.after]
        for line in self.lines:
            out.append(f"{_says(line)}  {line.text}")
            out += [f"  {change}" for change in line.changes]
        out += [f"gone: {found.kind}: {found.message}" for found in self.lost]
        out += [f"new: {found.kind}: {found.message}" for found in self.gained]
        return "\n".join(out)


def compare(before: Trace, after: Trace) -> Comparison:
    """What changed between two launches of the same kernel, or of two versions of it.

    Args:
        before: The earlier account.
        after: The later one.
    """
    lines = tuple(_line_changes(before, after))
    old, new = _found(before), _found(after)
    return Comparison(
        tuple(_changes(_total(before), _total(after))),
        tuple(line for line in lines if line.changes),
        tuple(found for key, found in new.items() if key not in old),
        tuple(found for key, found in old.items() if key not in new),
    )


def _changes(before: Counts, after: Counts) -> Iterator[Change]:
    for field, name in _SHOWN:
        yield Change(name, getattr(before, field), getattr(after, field))


def _by_place(trace: Trace) -> dict[Place, Counts]:
    places = {line.place: line for line in trace.lines}
    return {
        place: count_line(line, (site for site in trace.sites if site.place == place))
        for place, line in places.items()
    }


def _total(trace: Trace) -> Counts:
    return sum(_by_place(trace).values(), Counts())


def _line_changes(before: Trace, after: Trace) -> Iterator[LineChange]:
    old, new = _by_place(before), _by_place(after)
    for text, here, there in _matched(before, after):
        if here in old or there in new:
            yield LineChange(text, here, there, old.get(here, Counts()), new.get(there, Counts()))


def _matched(before: Trace, after: Trace) -> Iterator[tuple[str, Place | None, Place | None]]:
    """Lines of both kernels, then of their device functions by name, in order of the sources."""
    for old, new in _paired(before.launch.sources, after.launch.sources):
        left, right = _lines(old), _lines(new)
        matcher = SequenceMatcher(
            None, [text for text, _ in left], [text for text, _ in right], autojunk=False
        )
        for kind, a, b, c, d in matcher.get_opcodes():
            if kind == "equal":
                pairs = zip(left[a:b], right[c:d], strict=True)
                yield from ((text, here, there) for (text, here), (_, there) in pairs)
                continue
            yield from ((text, here, None) for text, here in left[a:b])
            yield from ((text, None, there) for text, there in right[c:d])


def _paired(
    before: tuple[Source, ...], after: tuple[Source, ...]
) -> Iterator[tuple[Source | None, Source | None]]:
    yield before[0], after[0]
    old = {source.function: source for source in before[1:]}
    new = {source.function: source for source in after[1:]}
    for function in dict.fromkeys([*old, *new]):
        yield old.get(function), new.get(function)


def _lines(source: Source | None) -> list[tuple[str, Place]]:
    if source is None:
        return []
    texts = source.text.splitlines()
    return [(t.strip(), Place(source.function, source.first_line + i)) for i, t in enumerate(texts)]


def _found(trace: Trace) -> dict[tuple[str, str, str], Finding]:
    texts = {place: text for source in trace.launch.sources for text, place in _lines(source)}
    return {
        (str(found.level), found.kind, texts.get(found.place, "")): found
        for found in trace.findings
    }


def _says(line: LineChange) -> str:
    if line.before is None:
        return f"new line {line.after.line}"
    if line.after is None:
        return f"line {line.before.line}, gone"
    return f"line {line.after.line}"
