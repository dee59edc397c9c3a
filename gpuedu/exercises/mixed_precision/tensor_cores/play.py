"""tensor-cores: beside the learner's code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.kernels.raw_kernel import RawKernelAnswer
from gpuedu.exercises.mixed_precision.tensor_cores.tensor_products import (
    compiled_of,
    run_product,
    seen_of,
)
from gpuedu.exercises.plain import items, number, text, whole_number
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_array


def play_tensor_cores(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """A launch of the kernel, the table of formats, or numbers rounded to TF32."""
    matmul, since, tf32 = answers
    if inputs["ask"] == "since":
        return {"got": [_entry(since, name) for name in inputs["formats"]]}
    if inputs["ask"] == "tf32":
        import torch

        with quiet_torch():
            x = torch.from_numpy(inputs["x"].copy())
            got = as_array(tf32(x), inputs["x"].shape, "the result of `tf32`", "float32")
            return {"got": got, "kept": bool((x.numpy() == inputs["x"]).all())}
    with _own_parameters_told():
        trace = run_product(matmul, inputs)
    seen = seen_of(trace, inputs)
    return {**seen, **(compiled_of(matmul) if inputs["compile"] else {})}


def _entry(since: Mapping[str, Any], name: str) -> float:
    if name not in since:
        raise AnswerError(f"`since` has no entry for {name!r}")
    given = since[name]
    told = f"the entry for {name!r}"
    if isinstance(given, tuple | list) and len(found := items(given)) == 2:
        major, minor = (whole_number(one, f"a number of {told}") for one in found)
        return major + minor / 10  # (8, 0) says the same as 8.0
    if isinstance(given, str) and re.fullmatch(r"\d+\.\d", text(given, told)):
        return float(text(given))
    return float(number(given, told))


@contextmanager
def _own_parameters_told() -> Iterator[None]:
    """The launch is the exercise's: where an argument does not fit, the parameter is to change."""
    try:
        yield
    except AnswerError as fault:
        if not fault.message.startswith(("argument ", "`matmul` takes ")):
            raise
        raise AnswerError(
            "its parameters do not fit the launch: " + fault.message.partition(", and got ")[0],
            remedy="As it is in the cell: two arrays of half, one of float, then three int.",
        ) from None


PLAY = Play(
    answers=(
        RawKernelAnswer("matmul"),
        Answer("since", dict),
        Answer("tf32", signature=("x",)),
    ),
    run=play_tensor_cores,
    time_limit_s=30.0,
    on_machine=True,
    compiles_kernel=True,
)
