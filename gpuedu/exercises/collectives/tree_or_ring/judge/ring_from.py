"""From which size a ring is faster than a tree: what is wrong with a crossover, or a choice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gpuedu.exercises.compare import number_fault, show
from gpuedu.exercises.contract import Fault
from gpuedu.multi.network import Link, crossover_bytes, ring_all_reduce_s, tree_all_reduce_s
from gpuedu.units import format_time

_TIE = 0.02
"""Where the ways are closer than this, either may be chosen."""


def judge_crossover(inputs: Mapping[str, Any], got: float) -> Iterable[Fault]:
    """A fault where a crossover, in bytes, is off."""
    given = {name: inputs[name] for name in ("ranks", "alpha_s", "bytes_per_s")}
    expected = crossover_bytes(given["ranks"], Link("given", *list(given.values())[1:]))
    call = f"crossover({', '.join(show(value) for value in given.values())})"
    if expected == 0 and abs(got) < 1e-3:
        return
    for _ in number_fault("crossover", call, got, float(expected)):
        told, wanted = _written_alike(got, float(expected))
        yield Fault("crossover", f"`{call}` gave {told} bytes, expected {wanted}")


def _written_alike(*values: float) -> list[str]:
    """Numbers of bytes in one format: whole ones, or powers of ten where one is not that large.

    >>> _written_alike(1234567.0, 89.0), _written_alike(0.0002, 1234567.0)
    (['1,234,567', '89'], ['2.000000e-04', '1.234567e+06'])
    """
    whole = [f"{value:,.0f}" for value in values]
    if all(1 <= abs(value) < 1e15 for value in values) and len(set(whole)) == len(values):
        return whole
    return [f"{value:.6e}" for value in values]


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
                f'"{way}"; the tree takes {format_time(tree_s)}, the ring {format_time(ring_s)}'
                + _by_own_crossover(inputs, got, own_bytes),
            )
            return


def _by_own_crossover(inputs: Mapping[str, Any], got: Sequence[str], own_bytes: float) -> str:
    """That a choice follows a crossover of the learner's which is wrong, where it does."""
    used = Link("given", inputs["alpha_s"], inputs["bytes_per_s"])
    true_bytes = crossover_bytes(inputs["ranks"], used)
    chosen = ["ring" if size >= own_bytes else "tree" for size in inputs["sizes_bytes"]]
    if abs(own_bytes - true_bytes) > 1e-3 * true_bytes and list(got) == chosen:
        return "; you choose by your `crossover`, which is wrong here"
    return ""
