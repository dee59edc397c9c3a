"""The report for a terminal: what to do first, then a step, its memory and its lines."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from gpuedu.profiling.evidence import Finding
from gpuedu.profiling.records import Watched
from gpuedu.profiling.summary import (
    lines,
    memory_parts,
    notes,
    now_and_then,
    short,
    step_sentence,
    told,
)
from gpuedu.units import format_quantity, format_size

WIDTH = 100
_MOST_LINES = 12
_MOST_PLACES = 6


def as_text(watched: Watched, findings: Sequence[Finding]) -> str:
    """The whole report."""
    return "\n".join(_report(watched, findings))


def _report(watched: Watched, findings: Sequence[Finding]) -> Iterator[str]:
    steps = f"{watched.counted} steps counted, {len(watched.of_phase('timed'))} timed"
    yield f"{watched.script}: {watched.end} ({steps})"
    yield ""
    real = [one for one in findings if not one.is_suggestion]
    if not real and watched.counted:
        yield "No finding."
        yield ""
    for number, found in enumerate(real, 1):
        yield from _finding(f"{number}.", found, watched)
        yield ""
    for found in findings:
        if found.is_suggestion:
            yield from _finding("Suggestion:", found, watched)
            yield ""
    if watched.steps:
        yield from _wrapped("A step: " + ", ".join(step_sentence(watched)) + ".")
    if watched.memory is not None:
        yield from _memory(watched)
    for site, kinds, count in now_and_then(watched)[:_MOST_PLACES]:
        yield from _wrapped(
            f"No finding: {short(site, watched.script)} {kinds}, in {count} of {watched.counted} "
            "steps."
        )
    yield from _table(watched)
    yield ""
    for note in notes(watched):
        yield from _wrapped(note)


def _finding(mark: str, found: Finding, watched: Watched) -> Iterator[str]:
    yield f"{mark} {found.title}: {found.cost}"
    for site, what in found.places[:_MOST_PLACES]:
        yield f"   {short(site, watched.script)}  `{_clipped(site.text, 60)}`  {what}"
    if len(found.places) > _MOST_PLACES:
        yield f"   and {len(found.places) - _MOST_PLACES} lines more"
    yield from _wrapped(f"   Do: {found.advice}.", "      ")
    yield f"   Lesson: {found.lesson}"


def _memory(watched: Watched) -> Iterator[str]:
    parts = memory_parts(watched)
    whole = ", ".join(f"{format_size(size)} {kind}" for kind, size in parts.items() if size)
    most = max(lines(watched), key=lambda one: one.peak_bytes, default=None)
    line = ""
    if most is not None and most.peak_bytes:
        line = (
            f" Most of what is not the model's is from {short(most.site, watched.script)} "
            f"`{_clipped(most.site.text, 60)}`: {format_size(most.peak_bytes)}."
        )
    yield from _wrapped(f"Memory at its peak, {format_size(sum(parts.values()))}: {whole}.{line}")


def _table(watched: Watched) -> Iterator[str]:
    rows = lines(watched)[:_MOST_LINES]
    if not rows:
        return
    yield ""
    head = ("operators", "small", "waits", "copies", "FLOP", "at peak", "line")
    yield "{:>9} {:>6} {:>6} {:>6} {:>10} {:>9}  {}".format(*head)
    for one in rows:
        operators, small, waits, copies = told([one.operators, one.small, one.waits, one.copies])
        flop = format_quantity(one.flop, "").strip() if one.flop else ""
        peak = format_size(one.peak_bytes) if one.peak_bytes else ""
        place = f"{short(one.site, watched.script)}  {one.site.text}"
        yield (
            f"{operators:>9} {small:>6} {waits:>6} {copies:>6} {flop:>10} {peak:>9}  "
            f"{_clipped(place, WIDTH - 53)}"
        )


def _clipped(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


def _wrapped(text: str, indent: str = "  ") -> list[str]:
    start = text[: len(text) - len(text.lstrip())]
    return textwrap.wrap(
        text.strip(),
        WIDTH,
        initial_indent=start,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )
