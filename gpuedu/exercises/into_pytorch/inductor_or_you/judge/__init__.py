"""inductor-or-you: the bytes of a chain of operations that are fused into kernels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Finding, Judge, Plain, Prediction, Property
from gpuedu.exercises.functions import RESULT, arguments_of, call_case, right_result

_ALONE = (
    ([[[["x"], "t"]], [[["t", "b"], "u"]], [[["u"], "y"]]], ["y"]),
    ([[[["x", "x"], "t"]], [[["t", "b"], "u"]], [[["u", "b"], "y"]]], ["y", "t"]),
)
_FUSED = (
    ([[[["x"], "t"], [["t", "b"], "u"], [["u"], "y"]]], ["y"]),
    ([[[["x"], "t"], [["t", "t"], "u"]], [[["u", "b"], "s"], [["s"], "y"]]], ["y"]),
)
_OUTSIDE = (
    ([[[["x"], "t"], [["t", "x"], "u"]], [[["t"], "s"]], [[["s", "u"], "y"]]], ["y"]),
    ([[[["x"], "t"], [["t"], "u"], [["u", "t"], "y"]], [[["b"], "s"]]], ["u", "s", "y"]),
    ([[[["x", "b"], "t"], [["x"], "u"], [["b", "u"], "y"]]], ["x", "y"]),
)
_SIZES = tuple("xbtusy")


def moved_bytes(kernels: list, sizes: dict[str, int], results: list[str]) -> int:
    """What all kernels read and write."""
    total = 0
    for at, kernel in enumerate(kernels):
        made = {made for _, made in kernel}
        read = {name for names, _ in kernel for name in names}
        later = {name for one in kernels[at + 1 :] for names, _ in one for name in names}
        total += sum(sizes[name] for name in read - made)
        total += sum(sizes[name] for name in made & (later | set(results)))
    return total


def cases(rng: np.random.Generator) -> list[Case]:
    """Small chains, with sizes of which no sums agree."""
    given = (("alone", _ALONE), ("fused", _FUSED), ("outside", _OUTSIDE))
    found = [_case(rng, prop, *chain) for prop, chains in given for chain in chains]
    return found + [_case(rng, prop, *_drawn(rng, prop)) for prop, _ in given for _ in range(3)]


def _case(rng: np.random.Generator, prop: str, kernels: list, results: list[str]) -> Case:
    drawn = [2**at for at in rng.permutation(len(_SIZES))]
    names = {name for kernel in kernels for reads, made in kernel for name in (*reads, made)}
    sizes = {
        name: 12 * int(size) for name, size in zip(_SIZES, drawn, strict=True) if name in names
    }
    return call_case(prop, "moved", kernels=kernels, sizes=sizes, results=results)


def _drawn(rng: np.random.Generator, prop: str) -> tuple[list, list[str]]:
    """Four operations in kernels, each on the result before; "outside", on any other one, too."""
    ends = {0, 1, 2, 3} if prop == "alone" else {int(rng.integers(3)), 3}
    kernels, kernel, known = [], [], ["x", "b"]
    for at, made in enumerate("tusy"):
        before = known[-1:] if at else []
        others = {
            "alone": ["x", "b", *before],
            "fused": [made for _, made in kernel] or ["b" if at else "x"],
            "outside": known,
        }
        kernel.append([[*before, str(rng.choice(others[prop]))], made])
        known.append(made)
        if at in ends:
            kernels.append(kernel)
            kernel = []
    return kernels, ["y"] if prop == "fused" else [str(rng.choice(list("tus"))), "y"]


_TRUTHS = {"moved": moved_bytes}
_TOO_FEW = (
    "That's less than has to move. Which tensor is read, or has to be in memory afterwards, and "
    "isn't counted?"
)


def _right_bytes(name: str, says: str, asks: str) -> Property:
    """A call gives the bytes; one that gives too few is asked what is missing."""
    right = right_result(name, says, 1, _TRUTHS, asks=asks, unit="bytes")

    def test(case: Case, observed: Plain) -> Iterator[Fault | Finding]:
        is_low = observed[RESULT] < moved_bytes(**arguments_of(case))
        for told in right.test(case, observed) if right.test else ():
            is_fault = isinstance(told, Fault)
            yield replace(told, cause=_TOO_FEW) if is_low and is_fault else told

    return replace(right, test=test)


JUDGE = Judge(
    title="Inductor, or you?",
    properties=(
        _right_bytes(
            "alone",
            "one kernel per operation: the bytes of its inputs and its result",
            "Go through that chain kernel by kernel: which tensors does each read and write?",
        ),
        _right_bytes(
            "fused",
            "what is made and used within one kernel costs nothing",
            "Which tensors of that chain does no other kernel need?",
        ),
        _right_bytes(
            "outside",
            "a kernel reads a tensor once, and writes what is needed outside",
            "Which tensors come from outside of each kernel, and which are needed there?",
        ),
    ),
    hints=(
        "Look at one kernel by itself. Two sets are all you need: the tensors that its operations "
        "read, and those that they make.",
        "It reads from memory what is in the first set and not in the second. It writes those of "
        "the second that a later kernel reads, or that are results.",
        "`made = {name for _, name in kernel}`, `read = {name for names, _ in kernel for name in "
        "names}`, and `later` in the same way from all of `kernels[at + 1:]`.",
    ),
    cases=cases,
    predictions={
        "inductor-or-you": Prediction(
            "How many times as many bytes do the 11 operations move, one by one, as two kernels "
            "that load each tensor once?",
            truth=4,
            because="One by one, `h` or something of its size is read or written 12 times: 2 for "
            "`abs`, 1 for `max`, 2 for each `mul`, 1 for the norm, 2 for `div`, 2 for `tanh`. Two "
            "kernels read `h` once each, and write once.",
        )
    },
)
