"""find-the-race: beside the learner's code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.cooperation.busiest_warps import busiest_warps
from gpuedu.exercises.kernels.launching import observe, run_kernel
from gpuedu.exercises.plain import describe, items, text

KERNELS = ("jumps", "widen", "shares")
"""The three kernels, in the order in which they are handed in."""

LETTERS, KINDS = "ABCDE", ("skipped", "missing", "in-place", "not-atomic", "outside")


def play_find_the_race(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """One entry of what was found, or one mended kernel on one case."""
    found, *kernels = answers
    name = inputs["kernel"]
    if inputs["ask"] == "found":
        letter, kind = _entry(found, name)
        return {"letter": letter, "kind": kind}
    x, out = inputs["x"], inputs["out"]
    steps = (inputs["more"],) if name == "widen" else ()
    kernel = kernels[KERNELS.index(name)]
    trace = run_kernel(kernel, inputs["grid"], inputs["block"], x, *steps, out)
    barriers = sum((site.arrivals for site in trace.barriers), start=0)
    return {
        **observe(trace, {"x": x, "out": out}),
        **busiest_warps(trace, ("x", *("" for _ in steps), "out")),
        "barriers": int(max(barriers, default=0)) if trace.barriers else 0,
    }


def _entry(found: Mapping[str, Any], name: str) -> tuple[str, str]:
    """The letter and the kind that were given for a kernel."""
    if name not in found:
        raise AnswerError(f"`found` has no entry for {name!r}")
    entry = found[name]
    told = items(entry) if isinstance(entry, (tuple, list)) else ()
    if len(told) != 2:
        raise AnswerError(
            f"the entry for {name!r} should be a letter and a kind, got {describe(entry)}",
            remedy='Such as ("A", "outside").',
        )
    letter = text(told[0], f"the letter for {name!r}").strip().upper()
    kind = text(told[1], f"the kind for {name!r}").strip().lower()
    if letter not in LETTERS or len(letter) != 1:
        raise AnswerError(
            f"the letter for {name!r} should be one of A to E, got {describe(letter)}"
        )
    if kind not in KINDS:
        raise AnswerError(
            f"the kind for {name!r} is {describe(kind)}",
            remedy=f"The kinds are {', '.join(KINDS)}.",
        )
    return letter, kind


PLAY = Play(
    (
        Answer("found", dict),
        Answer("jumps", signature=("x", "out")),
        Answer("widen", signature=("x", "steps", "out")),
        Answer("shares", signature=("x", "out")),
    ),
    play_find_the_race,
    time_limit_s=30.0,
    on_machine=True,
)
