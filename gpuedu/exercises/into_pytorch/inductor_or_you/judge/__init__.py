"""inductor-or-you: the bytes of a chain of operations that are fused into kernels."""

from __future__ import annotations

import numpy as np

from gpuedu.exercises.contract import Case, Judge, Prediction
from gpuedu.exercises.functions import call_case, right_result

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
    ([[[["x", "b"], "t"], [["x"], "u"], [["b", "u"], "y"]]], ["y"]),
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
    found = []
    for prop, chains in (("alone", _ALONE), ("fused", _FUSED), ("outside", _OUTSIDE)):
        for kernels, results in chains:
            drawn = [2**at for at in rng.permutation(len(_SIZES))]
            names = {
                name for kernel in kernels for reads, made in kernel for name in (*reads, made)
            }
            sizes = {
                name: 12 * int(size)
                for name, size in zip(_SIZES, drawn, strict=True)
                if name in names
            }
            found.append(call_case(prop, "moved", kernels=kernels, sizes=sizes, results=results))
    return found


_TRUTHS = {"moved": moved_bytes}

JUDGE = Judge(
    title="Inductor, or you?",
    properties=(
        right_result(
            "alone",
            "a kernel for each operation: all that it reads and makes",
            1,
            _TRUTHS,
            asks="Go through that chain kernel by kernel: which tensors does each read and write?",
            unit="bytes",
        ),
        right_result(
            "fused",
            "what is made and used inside one kernel alone costs nothing",
            1,
            _TRUTHS,
            asks="Which tensors of that chain does no other kernel need?",
            unit="bytes",
        ),
        right_result(
            "outside",
            "a kernel reads a tensor once, and writes what is needed outside",
            1,
            _TRUTHS,
            asks="Which tensors come from outside of each kernel, and which are needed there?",
            unit="bytes",
        ),
    ),
    hints=(
        "Look at one kernel by itself. Two sets tell everything: the tensors that its operations "
        "read, and those that they make.",
        "It reads from memory what is in the first set and not in the second. It writes those of "
        "the second that a later kernel reads, or that are results.",
        "`made = {name for _, name in kernel}`, `read = {name for names, _ in kernel for name in "
        "names}`, and `later` in the same way from all of `kernels[at + 1:]`.",
    ),
    cases=cases,
    predictions={
        "inductor-or-you": Prediction(
            "One by one, or in two kernels that load each tensor once: by which factor do fewer "
            "bytes move?",
            truth=4,
            because="One by one, `h` or something of its size is read or written 12 times: 2 for "
            "`abs`, 1 for `max`, 2 for each `mul`, 1 for the norm, 2 for `div`, 2 for `tanh`. Two "
            "kernels read `h` once each, and write once.",
        )
    },
)
