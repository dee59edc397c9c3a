"""How much a checkpointed step holds, and how many segments need least: truth and verdicts."""

from __future__ import annotations

from collections.abc import Iterable

from gpuedu.exercises.compare import number_fault
from gpuedu.exercises.contract import Case, Fault, Plain


def predicted(blocks: int, k: int, kept: int, inside: int) -> int:
    """Inputs of all segments but the first, whose is the batch, and the inside of the largest.

    >>> predicted(16, 4, 1, 1)
    7
    """
    return (k - 1) * kept + -(-blocks // k) * inside


def best(blocks: int, kept: int, inside: int) -> int:
    """The least k of those that need least."""
    return min(range(1, blocks + 1), key=lambda k: predicted(blocks, k, kept, inside))


def judge_predicted(case: Case, observed: Plain) -> Iterable[Fault]:
    """``predicted_bytes`` against the formula."""
    blocks, k, kept, inside = case.inputs["sizes"]
    call = f"predicted_bytes({blocks}, {k}, {kept}, {inside})"
    truth = predicted(blocks, k, kept, inside)
    yield from number_fault("predicted", call, observed["got"], truth, unit="bytes")


def judge_best(case: Case, observed: Plain) -> Iterable[Fault]:
    """``best_k`` by the formula, or by what the learner's own one gives."""
    blocks, kept, inside = case.inputs["sizes"]
    got, own, truth = observed["got"], observed["own"], best(blocks, kept, inside)
    # One's own numbers show which k needs the least where some need less than others.
    tells = bool(own) and min(own) < max(own)
    if got == truth or (tells and 1 <= got <= blocks and got == 1 + own.index(min(own))):
        return
    told = f"`best_k({blocks}, {kept}, {inside})` gave {got}"
    if 1 <= got <= blocks:
        mine, least = predicted(blocks, got, kept, inside), predicted(blocks, truth, kept, inside)
        less = "as little, and is less" if mine == least else f"{least}"
        told += f": it needs {mine} bytes, {truth} needs {less}"
    yield Fault("best", told)
