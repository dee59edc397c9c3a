"""What of it costs, by count: each finding with its lines, its cost in each step, and what to do.

A finding needs evidence in every counted step (nine of ten will do, since a last batch is smaller
and an evaluation comes between); what happens now and then is no fault. They are ranked by what
kind of cost it is, since counts of different kinds cannot be compared: what ends the run first
(memory that grows), then what stops the device (waiting for data, for the host, for copies), then
what keeps it busy with little (launches, wide numbers), then what would be faster.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median

from gpuedu.profiling import branches
from gpuedu.profiling.calls import QUEUED, UPLOAD
from gpuedu.profiling.lessons import lesson_for
from gpuedu.profiling.records import Call, Watched
from gpuedu.training.call_sites import CallSite
from gpuedu.units import format_size, format_time

MUCH_WAITING = 0.1
"""Share of a step in the loader from which it is a finding."""
MANY_COPIES = 8
_MUCH_GROWTH_BYTES = 64 * 1024
_WORTH_TELLING_BYTES = 1024
_RARELY = (
    "add up on the device, and read the sum every 50 steps or so; ask for shapes and conditions "
    "that need no values"
)
_OF_A_LIBRARY = (
    "the library asks, in the file named: see whether an option of it, or other inputs, spare the "
    "question"
)
_CONSTANTS = ("tensor", "as_tensor", "new_tensor")


@dataclass(frozen=True)
class Finding:
    """Something that costs.

    ``rank`` sorts: the kind of cost, then how much of it, negated. ``cost`` is for a person,
    ``per_step`` its number and ``unit`` what that counts. ``places`` are lines, each with what was
    seen there. A suggestion is something that would help, where nothing is wrong.
    """

    kind: str
    title: str
    cost: str
    per_step: float
    unit: str
    places: tuple[tuple[CallSite, str], ...]
    advice: str
    rank: int
    is_suggestion: bool = field(default=False)

    @property
    def lesson(self) -> str:
        """The lesson that teaches the remedy, and its exercise."""
        return lesson_for(self.kind)


def find(watched: Watched) -> tuple[Finding, ...]:
    """All findings, what to do first at the front; suggestions last."""
    from gpuedu.profiling.operator_findings import find_in_operators

    found = [
        *find_kept(watched),
        *find_waiting(watched),
        *find_synchronizations(watched),
        *find_copies(watched),
        *find_constants(watched),
        *find_in_operators(watched),
    ]
    return tuple(sorted(found, key=lambda one: (one.is_suggestion, one.rank, -one.per_step)))


# What is in every step


def is_steady(steps: Iterable[int], watched: Watched) -> bool:
    """True if something happened in (nearly) every counted step."""
    return bool(watched.counted) and len(set(steps)) >= math.ceil(0.9 * watched.counted)


def by_line(calls: Iterable[Call]) -> list[list[Call]]:
    """The calls of each line; within one, those of each line of a library that it calls."""
    found: dict[tuple[str, int, str], list[Call]] = {}
    for one in calls:
        found.setdefault((one.site.file, one.site.line, one.inside), []).append(one)
    return list(found.values())


def steady_lines(calls: Iterable[Call], watched: Watched) -> list[list[Call]]:
    """The calls of each line that is met in every step, and is not for CPUs alone."""
    return [
        group
        for group in by_line(calls)
        if is_steady((one.step for one in group), watched)
        and not (watched.stand_in and branches.is_for_cpu(group[0].site.file, group[0].site.line))
    ]


def is_wait(call: Call) -> bool:
    """Whether a call is one in which the host waits for the device's values.

    A gradient scaler asks once in each step whether all gradients are finite; that is its work.
    """
    return call.kind not in (UPLOAD, QUEUED) and not call.site.via.startswith("GradScaler")


def times(count: float, what: str, plural: str = "") -> str:
    """A count for each step.

    >>> times(1.0, "wait"), times(2.5, "copy", "copies")
    ('1 wait a step', '2.5 copies a step')
    """
    shown = f"{count:,.0f}" if math.isclose(count, round(count)) or count >= 20 else f"{count:.1f}"
    return f"{shown} {what if shown == '1' else plural or what + 's'} a step"


# Findings


def find_kept(watched: Watched) -> Iterator[Finding]:
    """Graphs of earlier steps, and memory that grows."""
    memory = watched.memory
    grown = memory.grown_bytes if memory else 0.0
    for kept in watched.kept:
        size = max(grown, kept.size_bytes)
        holder = f"`{kept.holder}`" if kept.holder else "a variable"
        yield Finding(
            kind="kept-graph",
            title=f"Memory grows: {holder} keeps the graph of every step",
            cost=f"{format_size(size)} of tensors a step, and each step's graph"
            if size >= _WORTH_TELLING_BYTES
            else "each step's graph, which nothing frees",
            per_step=size,
            unit="bytes",
            places=((kept.site, f"holds graphs of {kept.steps} steps"),),
            advice="keep numbers, not tensors with a graph: `loss.detach()`, read with `.item()` "
            "every so many steps",
            rank=0,
        )
    if memory and memory.grown_at and grown >= _MUCH_GROWTH_BYTES and not watched.kept:
        yield Finding(
            kind="memory-grows",
            title="Memory grows from step to step",
            cost=f"{format_size(grown)} a step that nothing frees",
            per_step=grown,
            unit="bytes",
            places=((memory.grown_at, "most of it is made here"),),
            advice="move what is kept to the host, or reduce it to a number first",
            rank=0,
        )


def waiting(watched: Watched) -> tuple[float, float]:
    """The share of a step in loaders, and the seconds: medians over the steps that were timed.

    Where too few were timed, those of the warm-up but the first.
    """
    steps = watched.of_phase("timed")
    steps = steps if len(steps) >= 3 else watched.of_phase("warm-up")[1:]
    waits: dict[int, float] = {}
    for one in watched.waits:
        waits[one.step] = waits.get(one.step, 0.0) + one.time_s
    pairs = [(waits.get(one.number, 0.0), one.time_s) for one in steps if one.time_s > 0]
    if not pairs:
        return 0.0, 0.0
    return median(wait / step for wait, step in pairs), median(wait for wait, _ in pairs)


def find_waiting(watched: Watched) -> Iterator[Finding]:
    """The loop stands in the data loader."""
    share, time_s = waiting(watched)
    if share <= MUCH_WAITING:
        return
    longest = max(watched.waits, key=lambda one: one.time_s)
    loader = longest.loader
    places = [(longest.site, f"waits here: {format_time(time_s)}")] if longest.site else []
    if watched.slow_line is not None:
        line, part = watched.slow_line
        places.append((line, f"{part:.0%} of the samples of {loader.dataset} fell here"))
    elsewhere = branches.set_for_gpu(watched.files, "num_workers") if watched.stand_in else None
    advice = "more `num_workers`, or less work for each item: do it once, or on the device"
    if loader.workers == 0:
        advice = "`num_workers` of some cores, so that batches are made while the device works"
        if elsewhere:
            advice = (
                f"this run has `num_workers=0`; line {elsewhere[1]} sets them where there is a GPU"
            )
    yield Finding(
        kind="loader-wait",
        title="The loop waits for data",
        cost=f"{share:.0%} of a step, {format_time(time_s)}, with {loader.workers} workers",
        per_step=time_s,
        unit="seconds",
        places=tuple(places),
        advice=advice,
        rank=1,
    )


def find_synchronizations(watched: Watched) -> Iterator[Finding]:
    """Waits for the device in every step."""
    groups = steady_lines(filter(is_wait, watched.calls), watched)
    if not groups:
        return
    waits = [one for group in groups for one in group]
    per_step = len(waits) / watched.counted
    yield Finding(
        kind="synchronization",
        title="The host waits for the device in every step",
        cost=times(per_step, "wait"),
        per_step=per_step,
        unit="waits",
        places=tuple((group[0].site, _kinds(group, watched)) for group in groups),
        advice=_OF_A_LIBRARY if all(one.inside for one in waits) else _RARELY,
        rank=2,
    )


def _kinds(group: Sequence[Call], watched: Watched) -> str:
    kinds = dict.fromkeys(one.kind for one in group)
    count = times(len(group) / watched.counted, "time")
    return f"{', '.join(kinds)}{_inside(group)}, {count}"


def _inside(group: Sequence[Call]) -> str:
    """The lines of libraries that made the calls, where it is not the script itself."""
    inside = dict.fromkeys(one.inside for one in group if one.inside)
    return f" in {', '.join(inside)}" if inside else ""


def find_copies(watched: Watched) -> Iterator[Finding]:
    """Copies to the device that the host waits for, and copies one by one."""
    copies = [
        one
        for one in watched.calls
        if one.kind in (UPLOAD, QUEUED) and not (one.name in _CONSTANTS and one.numbers)
    ]
    groups = steady_lines(copies, watched)
    loops = [one for one in groups if len(one) >= MANY_COPIES * watched.counted]
    if loops:
        yield _copies(
            watched,
            loops,
            kind="copies-in-a-loop",
            title="Many copies to the device, one after the other",
            advice="stack them on the host, and copy once",
        )
    groups = [one for one in groups if one not in loops]
    has_pinning = watched.stand_in and branches.set_for_gpu(watched.files, "pin_memory") is not None
    waited = [one for one in groups if one[0].kind == UPLOAD]
    unpinned = [one for one in groups if one[0].kind == QUEUED and not one[0].is_pinned]
    if waited:
        is_pinned = has_pinning or all(one[0].is_pinned for one in waited)
        yield _copies(
            watched,
            waited,
            kind="copy",
            title="The host waits for copies to the device in every step",
            advice="`non_blocking=True`"
            if is_pinned
            else "pinned memory (`pin_memory=True` of "
            "the loader, or `.pin_memory()`) and `non_blocking=True`",
        )
    if unpinned and not has_pinning:
        yield _copies(
            watched,
            unpinned,
            kind="copy",
            title="`non_blocking=True` on memory that is not pinned",
            advice="`pin_memory=True` of the loader, or `.pin_memory()`: else the copy goes "
            "through a buffer first, and the host waits for that",
        )


def _copies(
    watched: Watched, groups: list[list[Call]], *, kind: str, title: str, advice: str
) -> Finding:
    calls = [one for group in groups for one in group]
    size_bytes = sum(one.size_bytes for one in calls) / watched.counted
    count = len(calls) / watched.counted
    return Finding(
        kind=kind,
        title=title,
        cost=f"{times(count, 'copy', 'copies')}, {format_size(size_bytes)}",
        per_step=count,
        unit="copies",
        places=tuple(
            (
                group[0].site,
                times(len(group) / watched.counted, "copy", "copies") + _inside(group),
            )
            for group in groups
        ),
        advice=advice,
        rank=3,
    )


def find_constants(watched: Watched) -> Iterator[Finding]:
    """Tensors made of Python's numbers on the device, the same ones in every step."""
    made = [
        one
        for one in watched.calls
        if one.kind == UPLOAD and one.name in _CONSTANTS and one.numbers
    ]
    groups = steady_lines(made, watched)
    if not groups:
        return
    count = sum(map(len, groups)) / watched.counted
    is_same = all(len({one.numbers for one in group}) == 1 for group in groups)
    yield Finding(
        kind="constant",
        title="The same constant is made and copied to the device in every step"
        if is_same
        else "Numbers of Python's become a tensor on the device in every step",
        cost=times(count, "copy", "copies") + " that the host waits for",
        per_step=count,
        unit="copies",
        places=tuple((group[0].site, _shown(group)) for group in groups),
        advice="make it once, before the loop, or `register_buffer` it"
        if is_same
        else "a plain number goes along with a launch: `x * 0.5`, or `torch.full(..., device=...)`",
        rank=4,
    )


def _shown(group: Sequence[Call]) -> str:
    numbers = group[0].numbers
    return f"torch.{group[0].name} of {numbers if len(numbers) < 40 else numbers[:37] + '...'}"
