"""How much a checkpointed step holds, and how many segments need least: truth and verdicts."""

from __future__ import annotations

from collections.abc import Iterable

from gpuedu.exercises.compare import Misconception, likely_cause, number_fault
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


_PREDICTED = (
    Misconception(
        lambda blocks, k, kept, inside: k * kept + -(-blocks // k) * inside,
        "That keeps the first segment's input, too: it is the batch, which is there anyway.",
    ),
    Misconception(
        lambda blocks, k, kept, inside: (k - 1) * kept + blocks // k * inside,
        "Where k does not divide the blocks, one segment has one more. Rounded up, not down.",
    ),
    Misconception(
        lambda blocks, k, kept, inside: (k - 1) * kept + blocks / k * inside,
        "Blocks come whole: the largest segment has `blocks / k` of them, rounded up.",
    ),
    Misconception(
        lambda blocks, k, kept, inside: (k - 1) * kept + blocks * inside,
        "Are all segments open at once? Each is computed again when it is its turn.",
    ),
    Misconception(
        lambda blocks, k, kept, inside: (k - 1) * kept + k * inside,
        "How many blocks are in the largest segment?",
    ),
    Misconception(
        lambda blocks, k, kept, inside: (k - 1) * inside + -(-blocks // k) * kept,
        "`kept` and `inside` have changed places: inputs have `kept` bytes each, what blocks save "
        "has `inside`.",
    ),
    Misconception(
        lambda blocks, k, kept, inside: -(-blocks // k) * inside,
        "And the inputs of the segments, which are kept from the first forward?",
    ),
    Misconception(
        lambda blocks, k, kept, inside: (k - 1) * kept,
        "And the inside of the segment that is computed again?",
    ),
)


def judge_predicted(case: Case, observed: Plain) -> Iterable[Fault]:
    """``predicted_bytes`` against the formula."""
    blocks, k, kept, inside = case.inputs["sizes"]
    facts = {"blocks": blocks, "k": k, "kept": kept, "inside": inside}
    cause = likely_cause(observed["got"], _PREDICTED, facts)
    call = f"predicted_bytes({blocks}, {k}, {kept}, {inside})"
    truth = predicted(blocks, k, kept, inside)
    yield from number_fault("predicted", call, observed["got"], truth, unit="bytes", cause=cause)


def judge_best(case: Case, observed: Plain) -> Iterable[Fault]:
    """``best_k`` by the formula, or by what the learner's own one gives."""
    blocks, kept, inside = case.inputs["sizes"]
    got, own, truth = observed["got"], observed["own"], best(blocks, kept, inside)
    if got == truth or (own and 1 <= got <= blocks and got == 1 + own.index(min(own))):
        return
    needs = f": it needs {predicted(blocks, got, kept, inside)} bytes" if 1 <= got <= blocks else ""
    cause = f"{truth} needs {predicted(blocks, truth, kept, inside)}."
    if needs and predicted(blocks, got, kept, inside) == predicted(blocks, truth, kept, inside):
        cause = "Another k needs as little: the least of them is asked for."
    elif got in (round(blocks**0.5), int(blocks**0.5)):
        cause += " The square root of the blocks is right where `kept` and `inside` are equal."
    elif truth in (1, blocks):
        cause += " Is that end in the range that you search?"
    elif got in (1, blocks):
        cause += " One end of the range. In between, one term falls and the other grows."
    if got > blocks and got in (predicted(blocks, truth, kept, inside), min(own, default=None)):
        cause = "That is how many bytes the best k needs. Asked is the k itself."
    yield Fault("best", f"`best_k({blocks}, {kept}, {inside})` gave {got}{needs}", cause)
