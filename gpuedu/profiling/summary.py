"""The numbers of a step and of each line, which the text, the page and the JSON share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from gpuedu.profiling.calls import QUEUED, UPLOAD
from gpuedu.profiling.evidence import by_line, is_steady, is_wait, times, waiting
from gpuedu.profiling.operator_findings import is_small, launches
from gpuedu.profiling.records import Watched
from gpuedu.training.call_sites import CallSite
from gpuedu.units import format_quantity, format_size, format_time

_KINDS = {"optimizer": "optimizer's state", "other": "activations and other results"}
_LASTING = ("weights", "buffers", "gradients", "optimizer", "batch")


@dataclass(frozen=True)
class Line:
    """What a line did in each counted step; ``peak_bytes`` is what it holds at the memory's peak.

    A backward pass counts for the line that calls it.
    """

    site: CallSite
    operators: float
    small: float
    waits: float
    copies: float
    flop: float
    peak_bytes: int


def lines(watched: Watched) -> tuple[Line, ...]:
    """The lines that did anything, those with the most operators first."""
    steps = max(1, watched.counted)
    found: dict[tuple[str, int], dict[str, int]] = {}
    sites: dict[tuple[str, int], CallSite] = {}

    def add(site: CallSite, name: str, amount: int) -> None:
        place = site.file, site.line
        sites.setdefault(place, site)
        row = found.setdefault(
            place, dict.fromkeys(("operators", "small", "waits", "copies", "flop", "peak"), 0)
        )
        row[name] += amount

    for one in launches(watched):
        add(one.site, "operators", 1)
        add(one.site, "small", is_small(one))
        add(one.site, "flop", one.flop)
    for call in watched.calls:
        add(call.site, "waits" if is_wait(call) else "copies", 1)
    if watched.memory is not None:
        for row in watched.memory.peak.rows:
            site = watched.memory.places.get(row.layer)
            if site is not None and row.kind not in _LASTING:
                add(site, "peak", row.size_bytes)
    made = [
        Line(
            sites[place],
            row["operators"] / steps,
            row["small"] / steps,
            row["waits"] / steps,
            row["copies"] / steps,
            row["flop"] / steps,
            row["peak"],
        )
        for place, row in found.items()
    ]
    return tuple(sorted(made, key=lambda one: (-one.operators, -one.flop, -one.waits)))


def step_time_s(watched: Watched) -> float | None:
    """The median of the timed steps; None if there are none."""
    times_s = [one.time_s for one in watched.of_phase("timed")]
    times_s = times_s or [one.time_s for one in watched.of_phase("warm-up")[1:]]
    return median(times_s) if times_s else None


def step_sentence(watched: Watched) -> Iterator[str]:
    """What a step is made of, part by part."""
    time_s = step_time_s(watched)
    if time_s is not None:
        where = "on this CPU" if watched.stand_in else "by the host's clock"
        yield f"{format_time(time_s)} {where} (median)"
        if watched.waits:
            yield f"{waiting(watched)[0]:.0%} of it waiting for data"
    if not watched.counted:
        return
    given = launches(watched)
    yield times(len(given) / watched.counted, "operator").removesuffix(" a step")
    if given:
        yield f"{sum(map(is_small, given)) / len(given):.0%} of them small"
    waits = sum(map(is_wait, watched.calls)) / watched.counted
    yield times(waits, "wait of the host", "waits of the host").removesuffix(" a step")
    uploads = [one for one in watched.calls if one.kind in (UPLOAD, QUEUED)]
    size_bytes = sum(one.size_bytes for one in uploads) / watched.counted
    copied = times(len(uploads) / watched.counted, "copy", "copies").removesuffix(" a step")
    yield f"{copied} to the device ({format_size(size_bytes)})"
    yield format_quantity(sum(one.flop for one in given) / watched.counted, "FLOP")
    batches = median(one.batches for one in watched.of_phase("counted"))
    if batches > 1:
        yield f"{batches:.0f} batches"


def memory_parts(watched: Watched) -> dict[str, int]:
    """Bytes at the peak by what holds them, the largest first."""
    parts: dict[str, int] = {}
    for row in watched.memory.peak.rows if watched.memory else ():
        kind = _KINDS.get(row.kind, row.kind)
        parts[kind] = parts.get(kind, 0) + row.size_bytes
    return dict(sorted(parts.items(), key=lambda one: -one[1]))


def now_and_then(watched: Watched) -> tuple[tuple[CallSite, str, int], ...]:
    """Waits that are only in some steps: line, kinds, and in how many of the counted steps."""
    return tuple(
        (group[0].site, ", ".join(dict.fromkeys(one.kind for one in group)), len(steps))
        for group in by_line(filter(is_wait, watched.calls))
        if not is_steady(steps := {one.step for one in group}, watched)
    )


def short(site: CallSite, script: str) -> str:
    """File and line; the file is relative to the script's folder.

    >>> short(CallSite("/a/b/model.py", 3, "", "", ""), "/a/b/train.py")
    'model.py:3'
    """
    return f"{short_file(site.file, script)}:{site.line}"


def short_file(file: str, script: str) -> str:
    """A file's name, with folders below the script's."""
    folder = Path(script).resolve().parent
    path = Path(file).resolve()
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else path.name


def notes(watched: Watched) -> Iterator[str]:
    """What a reader should know about how this was measured."""
    if watched.stand_in:
        yield (
            "There is no GPU here: CPU tensors stood in for those on a device. Counts are "
            "those of this run; times are this CPU's."
        )
    if watched.is_never_moved:
        yield "The script never moves its model to a device; it was treated as if it had."
    if watched.compiled:
        yield "What it compiles ran uncompiled while operators were counted."
    loops = sum(one.is_loop for one in watched.operators)
    if loops:
        yield (
            "The optimizer loops over its parameters because it is on a CPU; a GPU takes them all "
            "at once, so these operators are left out."
        )
    if watched.steps and not watched.counted:
        yield "No step was counted: too few were taken. Fewer `--warmup` steps leave some."
    yield from watched.notes


def told(amounts: Iterable[float]) -> list[str]:
    """Numbers for a table, with nothing for 0.

    >>> told([0, 3.0, 2.25])
    ['', '3', '2.2']
    """
    return ["" if one == 0 else f"{one:.1f}".removesuffix(".0") for one in amounts]
