"""The source of a reduction: the learner's expressions, each on its own lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuedu.arrays.kernels.parameters import c_name, work_name
from gpuedu.arrays.kernels.places import ArgumentPlace
from gpuedu.arrays.kernels.source import MadeSource
from gpuedu.errors import KernelSourceError

_HALVES = ("float16", "half", "__half")


@dataclass(frozen=True)
class Expressions:
    """What the learner wrote, and the types of ``a`` and ``b``: in memory, and to compute with."""

    preamble: str
    map_expr: str
    reduce_expr: str
    post_map_expr: str
    identity: str
    stored: str
    worked: str

    @classmethod
    def of(cls, kernel: Any, known: Mapping[str, np.dtype]) -> Expressions:
        """The expressions of a ReductionKernel whose placeholders are ``known``."""
        asked = kernel.reduce_type
        dtype = np.dtype(np.float16) if asked in _HALVES else known.get(asked)
        stored = asked if dtype is None else c_name(dtype)
        worked = asked if dtype is None else work_name(dtype)
        texts = (kernel.map_expr, kernel.reduce_expr, kernel.post_map_expr)
        for name, text in zip(("reduce_expr", "post_map_expr"), texts[1:], strict=True):
            _require_one_line(name, text)
        return cls(kernel.preamble, *texts, kernel.identity, stored, worked)


def _require_one_line(name: str, text: str) -> None:
    """CuPy makes a macro of it, which ends with its line."""
    if "\n" in text:
        raise KernelSourceError(
            "it has several lines, and CuPy turns it into a macro, which must be one line",
            function=name,
            line=1,
            text=text.split("\n")[0],
            remedy="one line, or a `__device__` function in the preamble",
        )


def reduction_source(
    name: str,
    head: str,
    given: Expressions,
    inputs: Sequence[ArgumentPlace],
    outputs: Sequence[ArgumentPlace],
    threads: int,
) -> MadeSource:
    """The kernel: ``_i`` is the output's number, ``_J`` that of an element within it."""
    places = [*inputs, *outputs]
    declared = ", ".join(place.declaration for place in places)
    source = MadeSource(f"{head}\n")
    if given.preamble:
        source.learners("preamble", given.preamble).made("\n")
    source.made(f"typedef {given.stored} _type_reduce;\n")
    source.made(
        f'extern "C" __global__ void {name}({declared}, long long _reduced, long long _n) {{\n'
        f"    __shared__ _type_reduce _sdata[{threads}];\n"
    )
    source.made("".join(f"    {place.alias}\n" for place in places if place.alias))
    source.made("    for (long long _i = blockIdx.x; _i < _n; _i += gridDim.x) {\n")
    source.made("        _type_reduce _s = _type_reduce(\n")
    source.learners("identity", given.identity).made(");\n")
    source.made("        for (long long _J = threadIdx.x; _J < _reduced; _J += blockDim.x) {\n")
    source.made("".join(f"            {place.opening}\n" for place in inputs if place.opening))
    source.made("            _type_reduce _mapped = static_cast<_type_reduce>(\n")
    source.learners("map_expr", given.map_expr).made("\n            );\n")
    _join(source, given, "_s", "_mapped", "            ")
    source.made(
        "        }\n"
        "        _sdata[threadIdx.x] = _s;\n"
        "        __syncthreads();\n"
        "        for (int _step = blockDim.x / 2; _step > 0; _step /= 2) {\n"
        "            if (threadIdx.x < _step) {\n"
    )
    _join(source, given, "_sdata[threadIdx.x]", "_sdata[threadIdx.x + _step]", " " * 16)
    source.made(
        "            }\n"
        "            __syncthreads();\n"
        "        }\n"
        "        if (threadIdx.x == 0) {\n"
        f"            {given.worked} a = _sdata[0];\n"
    )
    source.made("".join(f"            {place.opening}\n" for place in outputs if place.opening))
    # CuPy puts it in parentheses, in which our parser reads no list of assignments.
    is_list = "," in given.post_map_expr and ";" not in given.post_map_expr
    opened, closed = ("", "") if is_list else ("(", ")")
    source.made(f"            {opened}\n").learners("post_map_expr", given.post_map_expr)
    return source.made(
        f"\n            {closed};\n        }}\n        __syncthreads();\n    }}\n}}\n"
    )


def _join(source: MadeSource, given: Expressions, one: str, other: str, margin: str) -> None:
    source.made(f"{margin}{{ {given.worked} a = {one}, b = {other}; {one} = (\n")
    source.learners("reduce_expr", given.reduce_expr).made(f"\n{margin}); }}\n")
