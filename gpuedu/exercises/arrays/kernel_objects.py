"""A learner's CuPy kernel as one that runs on the SIMT machine, on every tier.

Where there is a GPU, ``cp`` is CuPy itself, and its kernel objects keep what they were made from.
The same kernel is made of that again for the machine, so that everybody is judged by one account.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gpuedu.arrays.errors import DeviceArrayTypeError
from gpuedu.errors import AnswerError
from gpuedu.exercises.kernels.launching import refusals_told
from gpuedu.exercises.plain import describe


def elementwise_on_machine(kernel: Any) -> Any:
    """A fresh ``ElementwiseKernel`` of the machine from a learner's; AnswerError for others."""
    from gpuedu.arrays.kernels import ElementwiseKernel

    _require_kind(kernel, "ElementwiseKernel")
    options = dict(kernel.kwargs)
    return ElementwiseKernel(
        parameter_text(kernel.in_params),
        parameter_text(kernel.out_params),
        kernel.operation,
        kernel.name,
        kernel.reduce_dims,
        kernel.preamble,
        kernel.no_return,
        kernel.return_tuple,
        options=tuple(options.get("options", ())),
        loop_prep=options.get("loop_prep", ""),
        after_loop=options.get("after_loop", ""),
    )


def reduction_on_machine(kernel: Any) -> Any:
    """A fresh ``ReductionKernel`` of the machine from a learner's; AnswerError for others."""
    from gpuedu.arrays.kernels import ReductionKernel

    _require_kind(kernel, "ReductionKernel")
    return ReductionKernel(
        parameter_text(kernel.in_params),
        parameter_text(kernel.out_params),
        kernel.map_expr,
        kernel.reduce_expr,
        kernel.post_map_expr,
        kernel.identity,
        kernel.name,
        kernel.reduce_type,
        kernel.reduce_dims,
        kernel.preamble,
        tuple(kernel.options),
    )


def _require_kind(kernel: Any, name: str) -> None:
    if type(kernel).__name__ != name:
        raise AnswerError(
            f"the answer should be a `cp.{name}`, got {describe(kernel)}",
            remedy=f"Pass the object that `cp.{name}(...)` made, without calling it.",
        )


@contextmanager
def kernel_refusals_told() -> Iterator[None]:
    """What an elementwise or reduction kernel is refused for, as an AnswerError.

    Types that do not fit are the fault of the kernel's parameters here.
    """
    with refusals_told():
        try:
            yield
        except DeviceArrayTypeError as fault:
            remedy = "The arrays are float32. Which types do the kernel's parameters have?"
            raise AnswerError(fault.message, remedy=remedy) from None


def parameter_text(parameters: Iterable[Any]) -> str:
    """Parameters of a kernel as they are written: ``"raw T x, float32 y"``.

    >>> from gpuedu.arrays.kernels.parameters import read_parameters
    >>> parameter_text(read_parameters("raw T x, float32 y"))
    'raw T x, float32 y'
    """
    return ", ".join(map(_parameter_text, parameters))


def _parameter_text(parameter: Any) -> str:
    """One parameter of ours or of CuPy's, whose place-holders for types are in ``ctype``."""
    raw = getattr(parameter, "raw", False) or getattr(parameter, "is_raw", False)
    holder = getattr(parameter, "ctype", None) or getattr(parameter, "type", None)
    kind = holder if parameter.dtype is None else np.dtype(parameter.dtype).name
    return f"{'raw ' if raw else ''}{kind} {parameter.name}"
