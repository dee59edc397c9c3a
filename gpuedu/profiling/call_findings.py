"""Findings that come from calls, from the data loader and from what is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuedu.profiling import branches
from gpuedu.profiling.calls import QUEUED, UPLOAD
from gpuedu.profiling.evidence import (
    MUCH_WAITING,
    Finding,
    is_wait,
    steady_lines,
    times,
    waiting,
)
from gpuedu.profiling.records import Call, Watched
from gpuedu.units import format_size, format_time

MANY_COPIES = 8
_MUCH_GROWTH_BYTES = 64 * 1024
_WORTH_TELLING_BYTES = 1024
_RARELY = (
    "add up on the device, and read the sum every 50 steps or so; ask for shapes and conditions "
    "that need no values"
)
_OF_A_LIBRARY = (
    "the library asks, in the file named: see whether one of its options, or other inputs, "
    "can avoid the question"
)
_CONSTANTS = ("tensor", "as_tensor", "new_tensor")


def find_in_calls(watched: Watched) -> Iterator[Finding]:
    """All of this module's."""
    yield from find_kept(watched)
    yield from find_waiting(watched)
    yield from find_synchronizations(watched)
    yield from find_copies(watched)
    yield from find_constants(watched)


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


def find_waiting(watched: Watched) -> Iterator[Finding]:
    """The loop waits in the data loader."""
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
            title="Many copies to the device, one after another",
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
            else "pinned memory (`pin_memory=True` in the loader, or `.pin_memory()`) and "
            "`non_blocking=True`",
        )
    if unpinned and not has_pinning:
        yield _copies(
            watched,
            unpinned,
            kind="copy",
            title="`non_blocking=True` on memory that is not pinned",
            advice="`pin_memory=True` in the loader, or `.pin_memory()`: otherwise the copy goes "
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
    """Tensors made from Python numbers on the device, the same ones in every step."""
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
        else "Python numbers become a tensor on the device in every step",
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
