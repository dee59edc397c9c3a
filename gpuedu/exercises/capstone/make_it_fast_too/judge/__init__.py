"""make-it-fast-too: eight causes, each judged by the figure of the bill that it alone drives up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuedu.exercises.capstone.limits import Limit
from gpuedu.exercises.capstone.make_it_fast_too.limits import (
    LEAST_FLOP,
    LIMITS,
    MOST_FLOP,
    MOST_WIDE,
    Needs,
    needs_of,
)
from gpuedu.exercises.capstone.make_it_fast_too.slow_run import slow_training, slow_writing
from gpuedu.exercises.capstone.units import show_flop
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property

_BAND = 3e-3
"""How far a loss may be from the slow program's, relative. Rounding matmuls to bfloat16 moved the
losses of 6 seeds by up to 0.05%."""
_CLOSE = 1e-3
"""A text counts only where each letter's score led by more: rounding may change a closer choice."""
_TRAINING, _WRITING, _TOGETHER = (
    ("saved", "half", "alive"),
    ("cache", "batched", "host"),
    ("reduced", "sent"),
)


@dataclass(frozen=True)
class Truth:
    """What the slow program gives, and what its task takes."""

    losses: Sequence[float]
    weights: Sequence[str]
    texts: Sequence[tuple[str, float]]
    needs: Needs


def cases(rng: np.random.Generator) -> list[Case]:
    """One task: training on one device, writing, training on two ranks."""
    seed = int(rng.integers(1, 2**31))
    losses, file = slow_training(seed)
    truth = Truth(losses, _weights(), slow_writing(seed), needs_of())
    weights = np.frombuffer(file, np.uint8)
    return [
        Case("training", {"seed": seed, "ranks": 1}, ("same", *_TRAINING), truth),
        Case("writing", {"seed": seed, "weights": weights}, ("same-text", *_WRITING), truth),
        Case("two ranks", {"seed": seed, "ranks": 2}, ("same-on-ranks", *_TOGETHER), truth),
    ]


def _weights() -> list[str]:
    from gpuedu.exercises.capstone.make_it_fast_too.writer.data import ALPHABET
    from gpuedu.exercises.capstone.make_it_fast_too.writer.model import Writer

    weights = Writer(len(ALPHABET)).state_dict()
    return [f"{name}: {one.dtype} {tuple(one.shape)}" for name, one in weights.items()]


_TOLD = {
    "saved": (
        "attention keeps no scores for the backward pass",
        "Which tensor of the forward pass has T x T numbers for each head, and who needs it later?",
        "{got} numbers are saved for backward at once",
        2,
    ),
    "half": (
        "training multiplies in 16 bits",
        "Which dtype do the matmuls of a step get?",
        "{got} of a step's matmul work is done in more than 16 bits",
        2,
    ),
    "alive": (
        "no more stays alive than needed",
        "What stays alive from step to step, and how many bytes does each of its numbers have?",
        "{got} are alive throughout a step",
        1,
    ),
    "cache": (
        "no letter is read twice during writing",
        "What does the model compute for the second letter that it already computed for the first?",
        "a letter that is written takes {got}",
        2,
    ),
    "batched": (
        "all prompts are continued together",
        "How many launches does a letter take, and how many would eight letters of eight texts?",
        "a letter that is written takes {got} launches",
        1,
    ),
    "host": (
        "letters are chosen on the device",
        "Where does the next letter's number come from, and where is it needed?",
        "during writing, the host waits {got} times for the device",
        1,
    ),
    "reduced": (
        "gradients are averaged once a step",
        "What is all-reduced after the first part of a batch, and what after the last?",
        "a step gives {got} to reduce or gather on each rank",
        2,
    ),
    "sent": (
        "weights aren't sent",
        "What do two ranks have that start from the same weights and take the same step?",
        "a step gives {got} to messages that neither reduce nor gather",
        1,
    ),
}
"""Of each limit: what the card says, its question, what is told where it is passed, its points."""


def _limited(limit: Limit) -> Property:
    """The property that a cost stays within its limit."""
    says, asks, told, points = _TOLD[limit.name]

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        got, most = observed["bill"][limit.figure], limit.most(case.truth.needs)
        if not got <= most:
            whole = f"{told.format(got=limit.show(got))}, at most {limit.show(most)} are allowed"
            place = observed["where"].get(limit.figure, "")
            yield Fault(limit.name, f"{whole}. {place}" if place else whole)
        else:
            yield from _work(limit.name, observed["bill"], case.truth.needs)

    result = {**dict.fromkeys(_TRAINING, "same"), **dict.fromkeys(_WRITING, "same-text")}
    same = result.get(limit.name, "same-on-ranks")
    return Property(limit.name, says, points, asks, test, (same,), (same,))


def _work(name: str, bill: dict[str, float], needs: Needs) -> Iterable[Fault]:
    """Cheap is what computes on the device, and computes no more for it."""
    figures = {"flop": needs.flop, "letter_flop": needs.letter_flop}
    for figure, needed in figures.items():
        if figure in bill and bill[figure] < LEAST_FLOP * needed:
            whole = f"only {show_flop(bill[figure])} of matmuls were seen on the device"
            yield Fault(name, f"{whole}; the model takes {show_flop(needed)}")
            return
    wide = bill.get("wide_flop", 0.0) * bill.get("flop", 0.0)
    if name == "half" and wide > MOST_WIDE * MOST_FLOP * needs.flop:
        told = f"{show_flop(wide)} of a step's matmuls are done in more than 16 bits"
        yield Fault(name, f"{told}; the whole model takes {show_flop(needs.flop)}")
    if name == "saved" and bill["flop"] > MOST_FLOP * needs.flop:
        told = f"a step computes {show_flop(bill['flop'])}, the model takes {show_flop(needs.flop)}"
        yield Fault(name, f"little is saved, but {told}")


def _apart(name: str, got: Sequence[float], wanted: Sequence[float], who: str) -> Iterable[Fault]:
    if len(got) != len(wanted):
        yield Fault(name, f"{who} has {len(got)} losses, expected {len(wanted)}")
        return
    for step, (one, other) in enumerate(zip(got, wanted, strict=True), 1):
        if not math.isfinite(one) or abs(one - other) > _BAND * other:
            yield Fault(name, f"{who}: the loss of step {step} is {one:.5g}, expected {other:.5g}")
            return


def _same(case: Case, observed: Plain) -> Iterable[Fault]:
    faults = list(_apart("same", observed["history"]["losses"], case.truth.losses, "the history"))
    yield from faults
    for wanted in () if faults else case.truth.weights:
        if wanted not in observed["weights"]:
            name = wanted.partition(":")[0]
            got = [one for one in observed["weights"] if one.startswith(f"{name}:")]
            told = f"`{got[0]}`" if got else f"no `{name}`"
            yield Fault("same", f"weights.pt has {told}, expected `{wanted}`")
            return


def _same_text(case: Case, observed: Plain) -> Iterable[Fault]:
    got, wanted = observed["texts"], case.truth.texts
    if len(got) != len(wanted):
        yield Fault("same-text", f"`write.run` gave {len(got)} texts, expected {len(wanted)}")
        return
    for place, (one, (text, lead)) in enumerate(zip(got, wanted, strict=True)):
        if one != text and (lead > _CLOSE or len(one) != len(text)):
            yield Fault("same-text", f"text {place} is {one!r}, expected {text!r}")
            return


def _same_on_ranks(case: Case, observed: Plain) -> Iterable[Fault]:
    wanted = case.truth.losses[: len(case.truth.losses) // 2]
    for rank, history in enumerate(observed["histories"]):
        who = f"the history of rank {rank}"
        for fault in _apart("same-on-ranks", history["losses"], wanted, who):
            yield fault
            return


def _result(
    name: str, says: str, points: int, asks: str, test: Any, costs: Any, waits_for: Any = ()
) -> Property:
    whole = f"{says}, and at least one cost is lower"
    return Property(name, whole, points, asks, test, after=costs, waits_for=waits_for)


JUDGE = Judge(
    title="Make another program fast",
    properties=(
        _result(
            "same",
            "training gives the same losses and weights",
            2,
            "Which rows does each step see, which numbers are in float32, and do the weights move "
            "each time?",
            _same,
            _TRAINING,
        ),
        _result(
            "same-text",
            "the same texts are written",
            1,
            "Which letters does the model see when it chooses the next one, and at which places?",
            _same_text,
            _WRITING,
        ),
        _result(
            "same-on-ranks",
            "two ranks give the same result",
            1,
            "Which gradient does each rank step with?",
            _same_on_ranks,
            _TOGETHER,
            ("same",),
        ),
        *map(_limited, LIMITS),
    ),
    hints=(
        "Half of the costs are in training, half in writing or between ranks. `see` says which are "
        "left; each is the subject of a lesson that you know.",
        "For training: `scaled_dot_product_attention`, `torch.autocast`, and a look at the dtypes "
        "in `optimizer.py`. Where do the ranks have to agree, if all start from one seed?",
        "For writing: let the model take a cache of keys and values besides the new letters, and "
        "give it all prompts at once. `argmax` can stay on the device until all is written.",
    ),
    cases=cases,
    predictions={
        "make-it-fast-too": Prediction(
            "The program continues 16 letters with 16 more, and reads the whole text again for "
            "each. How many times fewer letters would it read in all, the prompt included, if it "
            "read none twice?",
            12.1,
            because="For the letters 17 to 32 the model reads 16, 17, ... 31 letters, which makes "
            "376. If each is read once, it reads 31: the prompt's 16 and 15 of those it writes. "
            "The last one is never read.",
        ),
    },
    seeds=2,
    varies=("history", "histories"),
)
