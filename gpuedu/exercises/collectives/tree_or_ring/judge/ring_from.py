"""From which size a ring is faster than a tree: what is wrong with a crossover, or a choice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.compare import Misconception, likely_cause, number_fault, show
from gpuedu.exercises.contract import Fault
from gpuedu.multi.network import Link, crossover_bytes, ring_all_reduce_s, tree_all_reduce_s
from gpuedu.units import format_time

_TIE = 0.02
"""Where the ways are closer than this, either may be chosen."""
_LEAST_RANKS = 4
"""With fewer, the ring is faster for every size."""


def judge_crossover(inputs: Mapping[str, Any], got: float) -> Iterable[Fault]:
    """A fault where a crossover, in bytes, is off."""
    given = {name: inputs[name] for name in ("ranks", "alpha_s", "bytes_per_s")}
    expected = crossover_bytes(given["ranks"], Link("given", *list(given.values())[1:]))
    call = f"crossover({', '.join(show(value) for value in given.values())})"
    if expected == 0 and abs(got) < 1e-3:
        return
    cause = likely_cause(got, _CROSSOVERS, given, rel=1e-6)
    if not cause and expected == 0:
        cause = "With 2 or 3 ranks both take the same number of steps. Which sends less in each?"
    for _ in number_fault("crossover", call, got, float(expected)):
        told, wanted = _written_alike(got, float(expected))
        yield Fault(
            "crossover", f"`{call}` gave {told} bytes, expected {wanted}", cause or _SET_EQUAL
        )


_SET_EQUAL = (
    "The tree takes 2 ceil(log2 n) messages of alpha + S / rate, the ring 2 (n - 1) of alpha + "
    "(S / n) / rate. For which S are they equal, and on which side does the rate end up?"
)


def _written_alike(*values: float) -> list[str]:
    """Numbers of bytes in one format: whole ones, or powers of ten where one is not that large.

    >>> _written_alike(1234567.0, 89.0), _written_alike(0.0002, 1234567.0)
    (['1,234,567', '89'], ['2.000000e-04', '1.234567e+06'])
    """
    whole = [f"{value:,.0f}" for value in values]
    if all(1 <= abs(value) < 1e15 for value in values) and len(set(whole)) == len(values):
        return whole
    return [f"{value:.6e}" for value in values]


def _depth(ranks: int) -> int:
    return (ranks - 1).bit_length()


_CROSSOVERS = (
    Misconception(
        lambda ranks, alpha_s, bytes_per_s: alpha_s * bytes_per_s,
        "That is where *one* message spends as long on its latency as on its bytes. How many "
        "messages, and of how many bytes, are there in each way?",
    ),
    Misconception(
        lambda ranks, alpha_s, bytes_per_s: (
            (ranks - 1 - _depth(ranks)) * alpha_s * bytes_per_s / (_depth(ranks) - 1)
        ),
        "You let the ring send the whole tensor over n - 1 steps; it is (n - 1) / n of it.",
    ),
    Misconception(
        lambda ranks, alpha_s, bytes_per_s: (
            (2 * (ranks - 1) - _depth(ranks))
            * alpha_s
            * bytes_per_s
            / (_depth(ranks) - 2 * (ranks - 1) / ranks)
        ),
        "A tree goes up *and* down: 2 ceil(log2 n) messages, one after another.",
    ),
    Misconception(
        lambda ranks, alpha_s, bytes_per_s: (
            (ranks - 1 - np.log2(ranks))
            * alpha_s
            * bytes_per_s
            / (np.log2(ranks) - (ranks - 1) / ranks)
        ),
        "A tree has whole rounds: log2 n is rounded up.",
    ),
    Misconception(
        lambda ranks, alpha_s, bytes_per_s: (
            (ranks - 1 - _depth(ranks))
            * alpha_s
            / bytes_per_s
            / (_depth(ranks) - (ranks - 1) / ranks)
        ),
        "The rate is in the wrong place. How many bytes pass in one alpha?",
    ),
)


def judge_choices(
    inputs: Mapping[str, Any], got: Sequence[str], own_bytes: float
) -> Iterable[Fault]:
    """A fault at the first size for which the slower way was chosen.

    Args:
        inputs: the case.
        got: what was chosen, by size.
        own_bytes: what the learner's ``crossover`` says for the same link.
    """
    ranks = inputs["ranks"]
    used = Link("given", inputs["alpha_s"], inputs["bytes_per_s"])
    for size, way in zip(inputs["sizes_bytes"], got, strict=True):
        tree_s = tree_all_reduce_s(ranks, size, used)
        ring_s = ring_all_reduce_s(ranks, size, used)
        best = "tree" if tree_s < ring_s else "ring"
        if way != best and abs(tree_s - ring_s) > _TIE * min(tree_s, ring_s):
            yield Fault(
                "choice",
                f"`choose({ranks}, {size}, {show(used.latency_s)}, {show(used.bytes_per_s)})` gave "
                f'"{way}"; the tree takes {format_time(tree_s)}, the ring {format_time(ring_s)}',
                _why_choice(inputs, got, own_bytes),
            )
            return


def _why_choice(inputs: Mapping[str, Any], got: Sequence[str], own_bytes: float) -> str:
    """A question for who chose wrong.

    Args:
        inputs: the case.
        got: what was chosen, by size.
        own_bytes: what the learner's ``crossover`` says for the same link.
    """
    ranks, sizes = inputs["ranks"], inputs["sizes_bytes"]
    used = Link("given", inputs["alpha_s"], inputs["bytes_per_s"])
    true_bytes = crossover_bytes(ranks, used)
    swapped = _ways(sizes, true_bytes, below="ring", above="tree")
    if ranks >= _LEAST_RANKS and list(got) == swapped:
        return "The other way round: which of the two is faster for a large tensor?"
    if abs(own_bytes - true_bytes) > 1e-3 * true_bytes and list(got) == _ways(sizes, own_bytes):
        return "You choose by your `crossover`, which is wrong here: for the same reason."
    if ranks < _LEAST_RANKS:
        return (
            f"With {ranks} ranks both take the same number of steps, and the ring sends less in "
            "each. Does the size matter here?"
        )
    if len(set(got)) == 1:
        return f'With {ranks} ranks you chose "{got[0]}" for every size. Does the size not matter?'
    if got[0] == "ring":
        return "For a tiny tensor the number of messages decides, for a large one the bytes."
    return (
        "Does the size from which the ring is faster grow with the ranks? And with the link's rate?"
    )


def _ways(
    sizes: Sequence[int], from_bytes: float, below: str = "tree", above: str = "ring"
) -> list[str]:
    """What is chosen by a size from which another way is taken."""
    return [above if size >= from_bytes else below for size in sizes]
