"""What is tested of a plan: whether it is right, and what it sends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuedu.exercises.contract import Case, Fault, Plain, Test, Undecided
from gpuedu.exercises.tensor_parallel.dtensor_in_practice.judge.propagation import (
    Message,
    Passes,
    passes_of,
    whole_matrices,
)
from gpuedu.exercises.tensor_parallel.dtensor_in_practice.plans import REPLICATE, ROWS, Style

_BEST = {
    "tensor_plan": (["all_reduce"] * 2, ["all_reduce"] * 2),
    "sequence_plan": (["all_gather", "reduce_scatter"] * 2, ["reduce_scatter", "all_gather"] * 2),
}


def right_plan(name: str) -> Test:
    """The block's output and gradients are those of the whole, and every matrix is cut."""

    def test(case: Case, observed: Plain) -> Iterator[Fault]:
        if told := _wrong(case, observed):
            yield Fault(name, told)

    return test


def few_messages(name: str) -> Test:
    """A plan sends as little as can be."""

    def test(case: Case, observed: Plain) -> Iterator[Fault]:
        if told := _wrong(case, observed):
            yield Undecided(name, f"the plan is not right yet: {told}")
            return
        passes = _passes(case, observed)
        if passes.by_itself:
            yield Fault(
                name,
                f"`{passes.by_itself[0]}` gets a DTensor in another placement than it wants, and "
                "PyTorch redistributes it by itself, there and in the backward pass",
            )
            return
        for way, got, best in zip(
            ("forward", "backward"),
            (passes.forward, passes.backward),
            _BEST[case.inputs["call"]],
            strict=True,
        ):
            if got != [Message(kind, "D") for kind in best]:
                yield Fault(name, f"the {way} pass sends {_listed(got)}")
                return

    return test


def _passes(case: Case, observed: Plain) -> Passes:
    outside = ROWS if case.inputs["call"] == "sequence_plan" else REPLICATE
    return passes_of(_plan(observed), outside)


def _plan(observed: Plain) -> dict[str, Style]:
    return {name: Style(*one) for name, one in observed["plan"].items()}


def _wrong(case: Case, observed: Plain) -> str:
    passes = _passes(case, observed)
    if passes.misfit:
        return passes.misfit
    if passes.unsummed:
        return (
            f"the gradient of `{passes.unsummed[0]}` is that of a rank's own tokens, and nobody "
            "sums it"
        )
    if whole := whole_matrices(_plan(observed)):
        return f"every rank has all of `{whole[0]}.weight`"
    return ""


def _listed(messages: Sequence[Message]) -> str:
    return ", ".join(map(str, messages)) or "nothing"
