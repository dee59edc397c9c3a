"""attention-heads: heads and copies of heads on ranks, and a loss over a vocabulary in slices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gpuedu.exercises.contract import (
    Case,
    Fault,
    Finding,
    Inputs,
    Judge,
    Plain,
    Prediction,
    Property,
    Test,
    Undecided,
)
from gpuedu.exercises.ranks.properties import (
    Held,
    right_on_ranks,
    undecided_if_silent,
    undecided_if_wrong,
)
from gpuedu.exercises.ranks.twice import right_at_first
from gpuedu.exercises.tensor_parallel.attention_heads.judge.head_cases import cases
from gpuedu.exercises.tensor_parallel.attention_heads.judge.truths import (
    heads_on,
    losses_of,
    summed_copies,
)
from gpuedu.exercises.tensor_parallel.failures import telling_failures

REL = 1e-9
NUMBER_BYTES = 8
PER_TOKEN = 3
"""Numbers of each token that a rank may hand over: a maximum, a sum, and the target's score."""


def _test_heads(case: Case, observed: Plain) -> Iterable[Fault]:
    inputs = case.inputs
    for rank, got in enumerate(observed["heads"]):
        wanted = heads_on(rank, inputs["ranks"], inputs["heads"], inputs["kv_heads"])
        for kind, mine, true in zip(("query", "key-value"), got, wanted, strict=True):
            if mine != true:
                told = f"{_list(mine)}, expected {_list(true)}"
                yield Fault("heads", f"rank {rank} of {inputs['ranks']}: {kind} heads {told}")
                return


def _list(heads: list[int]) -> str:
    return str(heads) if len(heads) <= 12 else f"{heads[:12]} and more"


def _totals(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    wanted = summed_copies(inputs["held"], inputs["gradients"])
    for rank, (got, true) in enumerate(zip(observed["totals"], wanted, strict=True)):
        yield _close(f"on rank {rank}", "total", got, true)


_SUMMED = right_on_ranks("copies", "", 1, _totals, asks="")


def _with_right_heads(name: str, test: Test) -> Test:
    """The same test, undecided where ``heads_of`` is wrong, since the sums may be made with it."""

    def tested(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
        if "totals" in observed:
            yield from test(case, observed)
        else:
            yield Undecided(name, "`heads_of` gives other key-value heads than a rank has")

    return tested


def _losses(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    true, _ = _truth(inputs)
    for rank, got in enumerate(observed["losses"]):
        yield _close(f"on rank {rank}", "losses", got, true)


def _gradient(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    _, true = _truth(inputs)
    where = f"in the slices of {inputs['ranks']} ranks side by side"
    yield _close(where, "gradient", observed["gradients"], true)


def _both(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    yield from _losses(inputs, observed)
    yield from _gradient(inputs, observed)


def _truth(inputs: Inputs) -> tuple[np.ndarray, np.ndarray]:
    return losses_of(inputs["scores"], inputs["targets"], inputs["vocabulary"])


def _close(where: str, name: str, got: Any, true: np.ndarray) -> Held:
    return Held(where, name, got, true, REL * np.abs(true).max())


def _test_copied(case: Case, observed: Plain) -> Iterable[Fault]:
    held = [head for heads in case.inputs["held"] for head in heads]
    copies = len(held) - len(set(held))
    yield from undecided_if_silent("copied-bytes", 1 + copies, sum(observed["handed_bytes"]))
    for rank, handed in enumerate(observed["handed_bytes"]):
        own = case.inputs["gradients"][rank].nbytes
        if handed > own:
            yield Fault(
                "copied-bytes",
                f"rank {rank} handed over {handed} bytes, and its gradient has {own}",
            )
            return


def _test_bytes(case: Case, observed: Plain) -> Iterable[Fault]:
    tokens = len(case.inputs["targets"])
    yield from undecided_if_silent("bytes", case.inputs["ranks"], sum(observed["handed_bytes"]))
    for rank, handed in enumerate(observed["handed_bytes"]):
        if handed > PER_TOKEN * NUMBER_BYTES * tokens:
            yield Fault(
                "bytes",
                f"rank {rank} handed over {handed / NUMBER_BYTES / tokens:.3g} numbers of 8 bytes "
                f"for each of {tokens} tokens; {PER_TOKEN} are enough",
            )
            return


_JUDGE = Judge(
    title="Attention by heads, the loss by words",
    properties=(
        Property(
            "heads",
            "every rank has its query heads, and the key-value heads that they use",
            1,
            "Which query heads does this rank have, and which key-value head does each of them "
            "use?",
            _test_heads,
        ),
        Property(
            "copies",
            "every copy of a key-value head gets the gradient of all its copies together",
            1,
            "Which ranks have this head, and what does each of them know of its gradient?",
            _with_right_heads("copies", _SUMMED.test),
        ),
        Property(
            "copied-bytes",
            "and for that, no rank hands over more than its own gradient",
            1,
            "Which ranks need to know each head's gradient?",
            _with_right_heads(
                "copied-bytes", undecided_if_wrong("copied-bytes", _totals, _test_copied)
            ),
        ),
        right_on_ranks(
            "losses",
            "every rank has the loss of every token",
            1,
            _losses,
            asks="The loss is the logarithm of a sum over all words, minus the target's score. "
            "What does each rank know of the two?",
        ),
        right_on_ranks(
            "gradient",
            "every rank has the gradient of its scores",
            1,
            _gradient,
            asks="Each score's gradient is its probability, minus 1 for the target. Which rank "
            "has the target, and at which place?",
        ),
        Property(
            "padding",
            "padding counts for nothing",
            1,
            "Which columns of a rank's slice are words? What if none are?",
            right_at_first("padding", _both, "without padding"),
        ),
        Property(
            "stable",
            "scores around 1,000, around -1,000, or both at once are no problem",
            1,
            "What is `exp(1000)`, and `exp(-1000)`? Which number may be subtracted from all scores "
            "of a token?",
            right_at_first("stable", _both, "with scores near 0"),
        ),
        Property(
            "bytes",
            "for the loss, no rank hands over more than three numbers per token",
            2,
            "Which numbers of a token do the other ranks need from this one?",
            undecided_if_wrong("bytes", _both, _test_bytes),
        ),
    ),
    hints=(
        "Query head h uses key-value head `h // (heads // kv_heads)`. A rank has those that its "
        "query heads use. For the loss, think of softmax: which three numbers of a token would "
        "each rank need that it can't compute from its own slice?",
        "For each key-value head find the ranks that have it, and call `dist.new_group` with them "
        "on *every* rank; only those in it sum. The loss is `top + log(sum of exp(score - top)) - "
        "target's score`: `top` is an all-reduce with `dist.ReduceOp.MAX`, and the other two are "
        "sums, with 0 for the target's score on ranks that don't have it.",
        "`top = scores.amax(1)`, where padding was filled with `-math.inf` before; "
        "`dist.all_reduce(top, op=dist.ReduceOp.MAX)`; `exps = torch.exp(scores - top[:, None])`; "
        "`place = targets - first`, `mine = (place >= 0) & (place < scores.shape[1])`; "
        "`found = torch.zeros_like(top)`, `found[mine] = scores[mine, place[mine]]`; "
        "all-reduce `torch.stack([exps.sum(1), found])`.",
    ),
    cases=cases,
    seeds=5,
    predictions={
        "attention-heads": Prediction(
            "8,192 tokens, and a vocabulary of 128,256 words. How many GB do the scores take in "
            "float32?",
            truth=4.2,
            unit="GB",
            because="4 bytes x 8,192 x 128,256, and their gradient takes as much again. In "
            "slices, no rank ever has all of them.",
        ),
    },
)

JUDGE = telling_failures(_JUDGE, by=("heads", "copies", "losses", "padding", "stable"))
