"""What the two exercises that add up a block share: cases, the truth, and wrong sums by example."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuedu.exercises.compare import show
from gpuedu.exercises.contract import Fault, Finding, Level, Plain
from gpuedu.exercises.kernels.faults import ENDLESS, wrapped_faults
from gpuedu.exercises.kernels.shapes import WARP_SIZE
from gpuedu.exercises.kernels.sightings import read_sightings


@dataclass(frozen=True)
class _Part:
    """How often each element got into its block's sum, by ``has(thread, threads)``."""

    has: Callable[[np.ndarray, int], np.ndarray]
    says: str


_PARTS = (
    _Part(
        lambda t, threads: t == 0,
        "That is the block's first element alone. Which additions reach `part[0]`, or lane 0?",
    ),
    _Part(
        lambda t, threads: t < WARP_SIZE,
        "That is the first warp's sum alone. How do the other warps' sums come to the thread that "
        "writes?",
    ),
    _Part(
        lambda t, threads: t % WARP_SIZE == 0,
        "That has one element of each warp. Are a warp's own numbers added before its lane 0 hands "
        "them on?",
    ),
    _Part(
        lambda t, threads: t < threads // 2,
        "That is the first half of the block's elements. Is there a round in which the second half "
        "is added to it?",
    ),
    _Part(
        lambda t, threads: t % 2 == 0,
        "Every second element is missing. Is the last round left out, where two numbers are left?",
    ),
    _Part(
        lambda t, threads: t < threads - 1,
        "The block's last element is missing. Which thread adds it?",
    ),
    _Part(lambda t, threads: t > 0, "The block's first element is missing."),
    _Part(
        lambda t, threads: 1 + (t < WARP_SIZE),
        "The first warp's sum is in it twice. Who holds it already when the warps are added?",
    ),
)
SHOWS_NOTHING = "the sums are not right here, so this shows nothing yet"


def sum_inputs(rng: np.random.Generator, n: int, blocks: int, threads: int) -> dict[str, Any]:
    """Whole numbers of both signs in float32, so that every order of adding is exact."""
    return {
        "ask": "sums",
        "x": rng.integers(-900, 1000, n).astype(np.float32),
        "sums": -rng.integers(300_000, 900_000, blocks).astype(np.float32),  # no sum is that small
        "blocks": blocks,
        "threads": threads,
    }


def true_sums(x: np.ndarray, blocks: int, threads: int) -> np.ndarray:
    """(blocks,) float64: the sum of each block's elements; a block without any has 0.

    >>> true_sums(np.ones(40), 3, 32).tolist()
    [32.0, 8.0, 0.0]
    """
    padded = np.zeros(blocks * threads)
    padded[: x.size] = x
    return padded.reshape(blocks, threads).sum(axis=1)


def full_blocks_wrong(inputs: Plain, observed: Plain) -> bool:
    """Whether there are blocks that are filled, and not one of them has the right sum."""
    full = inputs["x"].size // inputs["threads"]
    expected = true_sums(inputs["x"], inputs["blocks"], inputs["threads"])
    return full > 0 and not (observed["sums"] == expected)[:full].any()


def sum_faults(prop: str, inputs: Plain, observed: Plain, otherwise: str) -> Iterable[Fault]:
    """A fault at the first block whose sum is wrong, and one where an input was changed.

    ``otherwise`` is asked where the sums look like no known mistake.
    """
    x, blocks, threads = inputs["x"], inputs["blocks"], inputs["threads"]
    expected, got = true_sums(x, blocks, threads), observed["sums"]
    wrong = np.flatnonzero(~(np.abs(got - expected) <= 0))
    if wrong.size:
        b = int(wrong[0])
        own = max(0, min(x.size - b * threads, threads))
        yield Fault(
            prop,
            f"`sums[{b}]` is {show(float(got[b]))}, expected {show(float(expected[b]))}, the sum "
            f"of {_elements(b * threads, own)} ({wrong.size} of {blocks} sums "
            f"{'is' if wrong.size == 1 else 'are'} wrong)",
            _cause(inputs, observed, expected, b) or otherwise,
        )
    yield from wrapped_faults(prop, observed)
    if not np.array_equal(observed["x"], x):
        yield Fault(prop, "`x` was changed by the kernel", "Add in `part`; `x` is only read.")


def _elements(first: int, count: int) -> str:
    if count == 0:
        return "no element"
    return f"`x[{first}]`" if count == 1 else f"`x[{first}]` to `x[{first + count - 1}]`"


def _cause(inputs: Plain, observed: Plain, expected: np.ndarray, b: int) -> str:
    """What the learner's sums look like; ``b`` is the first block whose sum is wrong."""
    x, blocks, threads = inputs["x"], inputs["blocks"], inputs["threads"]
    before, got = inputs["sums"], observed["sums"].astype(np.float64)
    if not observed["complete"]:
        return "The launch was stopped before its end; see the other properties."
    if got[b] == before[b]:
        return "It was not written. Which thread of the block writes its sum, and is it there?"
    if got[b] == before[b] + expected[b]:
        return "That was added to what stood in `sums` before. One thread writes the finished sum."
    padded = np.zeros(blocks * threads)
    padded[: x.size] = x
    rows = padded.reshape(blocks, threads)
    for part in _PARTS:
        if np.array_equal(got, (rows * part.has(np.arange(threads), threads)).sum(axis=1)):
            return part.says
    if blocks > 1 and (got == got[0]).all() and got[0] in (x.sum(), expected[0]):
        return "All blocks have the same sum. Which elements are each block's own?"
    said = _hazard_cause(observed, b)
    if said:
        return said
    if np.isin(np.arange(blocks)[got != expected], [x.size // threads]).all() and x.size % threads:
        return "Only the block that is filled in part is wrong. What do its other threads bring?"
    return ""


def _hazard_cause(observed: Plain, b: int) -> str:
    """What was found in block ``b``, or else in any block, as the way to a wrong sum."""
    found = [one for one in read_sightings(observed["sightings"]) if one.is_hazard]
    own = [one for one in found if one.block and one.block[0] == b]
    seen = {(one.kind, one.array == "sums") for one in own or found}
    if ("uninitialised-read", False) in seen:
        return "Something was added that nobody wrote; see below."
    if ("warp-sync-mask", False) in seen:
        return "A lane took a value that no lane handed over; see below."
    if ("data-race", True) in seen:
        return "Several threads wrote it, and the last one won; see below."
    if ("data-race", False) in seen:
        return "Some numbers were read too early or too late; see below."
    return ""


def endless_question(kind: str) -> str:
    """What is asked where a block never comes to its end; empty for another kind."""
    return {
        "divergent-barrier": "All threads of the block have to come to a barrier, also those that "
        "have nothing to add. Does it stand inside an `if`, or in a loop that some leave earlier?",
        "runaway-loop": "What changes from one turn to the next, and does every thread's condition "
        "become false?",
    }.get(kind, "")


def exit_notes(observed: Plain) -> Iterable[Finding]:
    """A note where threads returned although a barrier was still to come."""
    for seen in read_sightings(observed["sightings"]):
        if seen.kind == "exited-before-barrier":
            yield Finding(
                Level.NOTE,
                f"some threads return before the barrier on line {seen.line}: what happens is "
                "undefined, the block may hang. Since Volta, a barrier no longer waits for threads "
                "that have ended, so it often works. Do not build on it",
            )
            return


def is_endless(observed: Plain) -> bool:
    """Whether a launch was stopped, or a barrier never passed."""
    return not observed["complete"] or any(
        seen.kind in ENDLESS for seen in read_sightings(observed["sightings"])
    )
