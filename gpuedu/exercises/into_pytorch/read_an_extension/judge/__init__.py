"""read-an-extension: which line does what, what calls give, and what mends them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Property
from gpuedu.exercises.into_pytorch.read_an_extension.extension_picture import EXTENSION

_BY_TEXT = {
    "refuses the CPU": "is_cuda()",
    "puts x in order": "x.contiguous()",
    "takes y as it lies": "y.data_ptr",
    "leaves elements out": "n / threads",
    "picks the stream": "<<<",
}
_LINES = {
    name: next(i for i, line in enumerate(EXTENSION.splitlines(), 1) if part in line)
    for name, part in _BY_TEXT.items()
}
_CALLS = {
    "4096 elements": "right",
    "1000 elements": "wrong",
    "on the CPU": "error",
    "float64": "error",
    "x transposed": "right",
    "y transposed": "wrong",
    "another stream": "wrong",
    "gradient": "wrong",
}
_REPAIRS = {
    "y transposed": "contiguous",
    "1000 elements": "round up",
    "another stream": "getCurrentCUDAStream",
    "second GPU": "CUDAGuard",
    "failed launch": "C10_CUDA_KERNEL_LAUNCH_CHECK",
    "gradient": "register_autograd",
}
_TRUTHS: Mapping[str, Mapping[str, int | str]] = {
    "lines": _LINES,
    "calls": _CALLS,
    "repairs": _REPAIRS,
}


def cases(rng: np.random.Generator) -> list[Case]:
    """One for each dict; nothing in it is drawn."""
    return [
        Case(f"`{name}`", {"ask": name, "names": list(truth)}, (name,), truth=dict(truth))
        for name, truth in _TRUTHS.items()
    ]


def _test(case: Case, observed: Plain) -> Iterable[Fault]:
    """The first entry that is wrong, without what would be right, and how many more there are."""
    asked = case.inputs["ask"]
    wrong = [name for name, right in case.truth.items() if observed[name] != right]
    if wrong:
        got = observed[wrong[0]]
        more = f" ({len(wrong) - 1} more of its entries)" if len(wrong) > 1 else ""
        yield Fault(asked, f"not so: `{asked}[{wrong[0]!r}]` is {_quoted(asked, got)}{more}")


def _quoted(asked: str, got: int | str) -> str:
    source = EXTENSION.splitlines()
    if asked != "lines":
        return repr(got)
    if not 1 <= got <= len(source):
        return f"{got}, and the source has {len(source)} lines"
    line = source[int(got) - 1].strip()
    return f"{got}, which reads `{line}`" if line else f"{got}, an empty line"


def _property(name: str, says: str, asks: str) -> Property:
    test: Callable[[Case, Plain], Iterable[Fault]] = _test
    return Property(name, says, 1, asks, test)


JUDGE = Judge(
    title="Read an extension",
    properties=(
        _property(
            "lines",
            "the line that does each of five things",
            "What does that line do, and is there another one that does what is asked for?",
        ),
        _property(
            "calls",
            "what each of eight calls gives",
            "Follow that call from the first check to the last element. What stops it, and what "
            "does each thread read?",
        ),
        _property(
            "repairs",
            "what fixes each of six faults",
            "What is missing in that case: a check, an order, a stream, a device, or a derivative?",
        ),
    ),
    hints=(
        "A `TORCH_CHECK` raises an error, and so does `data_ptr<float>()` of another type. Nothing "
        "else in this source can stop a call.",
        "A kernel goes through memory element by element, starting at a pointer, whatever the "
        "tensor's strides are. Which of the two tensors has been put in order before? And 1000 / "
        "256 is 3 for integers.",
        "A launch whose `<<< >>>` names no stream goes to the default stream. And what the "
        "operator returns has no `grad_fn`, so no gradient goes through it: the other paths of the "
        "loss still give theirs.",
    ),
    cases=cases,
    seeds=1,
)
