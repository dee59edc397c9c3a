"""Plays of the lesson registers: each calls the learner's function or kernel on one case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Play, on_machine
from gpuedu.exercises.kernels.raw_kernel import RawKernelAnswer
from gpuedu.exercises.plain import describe, text, whole_number
from gpuedu.exercises.registers.kernels import compiled_cuda_c, compiled_tile, tile_kernel
from gpuedu.exercises.registers.products import run_product, seen_of
from gpuedu.exercises.registers.turns import order_of_accesses

Inputs = Mapping[str, Any]


def play_occupancy(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """Blocks on an SM for one launch, or the warps that a chain of results needs."""
    blocks_per_sm, warps_needed = answers
    if inputs["ask"] == "warps":
        got = warps_needed(inputs["latency"], inputs["independent"])
        return {"got": whole_number(got, "what `warps_needed` returned")}
    got = blocks_per_sm(
        dict(inputs["sm"]), inputs["threads"], inputs["registers"], inputs["shared_bytes"]
    )
    return {"got": whole_number(got, "what `blocks_per_sm` returned")}


def play_register_tile(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """``c`` after a launch of the kernel for t x t sums, its traffic, and what it compiles to."""
    (make_matmul,) = answers
    t = inputs["t"]
    kernel = tile_kernel(make_matmul, t)
    seen = seen_of(run_product(kernel, 16 * t, inputs, watch=()), inputs)
    return {**seen, **(compiled_tile(kernel) if inputs["compile"] else {})}


def play_vector_loads(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The same for a kernel of CUDA C, which is told the sizes."""
    (matmul,) = answers
    (m, k), n = inputs["a"].shape, inputs["b"].shape[1]
    with _own_parameters_told():
        sizes = (np.int32(m), np.int32(n), np.int32(k))
        trace = run_product(matmul, 64, inputs, *sizes, watch=())
    seen = seen_of(trace, inputs)
    return {**seen, **(compiled_cuda_c(matmul) if inputs["compile"] else {})}


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
            remedy="As it stands in the cell: three arrays of float, then three int.",
        ) from None


def play_double_buffer(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """``c`` after a launch, and in which order a warp asks, uses and stores in each step."""
    (matmul,) = answers
    trace = run_product(matmul, 64, inputs)
    return {**seen_of(trace, inputs), **order_of_accesses(trace)}


def play_read_the_ladder(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The order of the five kernels, or the limit that the learner's function names."""
    order, limit_of = answers
    if inputs["ask"] == "order":
        return {"order": [_place(order, key) for key in inputs["keys"]]}
    got = limit_of(dict(inputs["account"]))
    if type(got) is not str:
        raise AnswerError(
            f"`limit_of` should return one of the five texts, got {describe(got)}",
            remedy='For example `return "data path"`.',
        )
    return {"got": text(got, "what `limit_of` returned")}


def _place(order: Mapping[str, Any], key: str) -> str:
    if key not in order:
        raise AnswerError(f"`order` has no entry for {key!r}")
    return text(order[key], f"the entry for {key!r}")


PLAYS = on_machine(
    {
        "occupancy": Play(
            (
                Answer("blocks_per_sm", signature=("sm", "threads", "registers", "shared_bytes")),
                Answer("warps_needed", signature=("latency", "independent")),
            ),
            play_occupancy,
        ),
        "register-tile": Play(
            (Answer("make_matmul", signature=("t", "side")),), play_register_tile, time_limit_s=40.0
        ),
        "vector-loads": Play((RawKernelAnswer("matmul"),), play_vector_loads, time_limit_s=30.0),
        "read-the-ladder": Play(
            (Answer("order", dict), Answer("limit_of", signature=("account",))),
            play_read_the_ladder,
        ),
        "double-buffer": Play(
            (Answer("matmul", signature=("a", "b", "c")),), play_double_buffer, time_limit_s=30.0
        ),
    }
)
