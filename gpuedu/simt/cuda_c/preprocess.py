"""Macros and includes, by pcpp; every line stays where the learner wrote it.

CUDA's own headers contain nothing that this front end does not already know, so including them is
accepted and adds no text. No file is ever opened.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from io import StringIO
from typing import TYPE_CHECKING

from gpuedu.errors import KernelSourceError

if TYPE_CHECKING:
    from gpuedu.simt.cuda_c.directives import Preprocessor

HEADERS = frozenset(
    {
        *("cuda.h", "cuda_runtime.h", "device_launch_parameters.h", "vector_types.h"),
        *("math.h", "cmath", "stdint.h", "cstdint", "float.h", "cfloat", "limits.h", "climits"),
        *("math_constants.h", "cuda_fp16.h", "stdio.h", "cstdio", "assert.h", "cassert"),
        *("stddef.h", "cstddef", "string.h", "cstring", "device_functions.h", "sm_20_intrinsics.h"),
        *("mma.h", "crt/mma.h"),
        *("cooperative_groups.h", "cooperative_groups/reduce.h", "cooperative_groups/scan.h"),
        *("cooperative_groups/memcpy_async.h", "cuda/pipeline", "cuda/barrier", "cuda/atomic"),
        *("type_traits", "cuda/std/type_traits", "utility", "cuda/std/utility", "cuda_bf16.h"),
        *("cuda/std/cstdint", "cuda/std/cmath", "cuda/std/limits"),
    }
)
"""Includes that are accepted; a name from them that is not covered is refused where it is used."""

_INFINITY, _NAN = "__int_as_float(0x7f800000)", "__int_as_float(0x7fffffff)"

MACROS: dict[str, str] = {
    "__CUDACC__": "1",
    "__CUDACC_RTC__": "1",
    "__CUDA_ARCH__": "900",
    "__cplusplus": "201703L",
    "INFINITY": _INFINITY,
    "NAN": _NAN,
    "CUDART_INF_F": _INFINITY,
    "CUDART_NAN_F": _NAN,
    "CUDART_INF": "((double)__int_as_float(0x7f800000))",
    "CUDART_PI_F": "3.141592654f",
    "CUDART_PI": "3.1415926535897931e+0",
    "M_PI": "3.14159265358979323846",
    "FLT_MAX": "3.402823466e+38f",
    "FLT_MIN": "1.175494351e-38f",
    "FLT_EPSILON": "1.192092896e-07f",
    "DBL_MAX": "1.7976931348623157e+308",
    "DBL_EPSILON": "2.2204460492503131e-16",
    "INT_MAX": "2147483647",
    "INT_MIN": "(-2147483647 - 1)",
    "UINT_MAX": "4294967295u",
    "LLONG_MAX": "9223372036854775807ll",
    "LLONG_MIN": "(-9223372036854775807ll - 1)",
    "ULLONG_MAX": "18446744073709551615ull",
    "NULL": "nullptr",
    "__align__(n)": "alignas(n)",
    "__builtin_align__(n)": "alignas(n)",
    "__extension__": "",
    "__inline__": "inline",
    "__noinline__": "",
    "__forceinline__": "inline",
    "__device_builtin__": "",
    "__grid_constant__": "",
}


@lru_cache(maxsize=256)
def expand(code: str, defines: tuple[str, ...] = ()) -> str:
    r"""A source text without directives and macros, each line at its old number.

    Args:
        code: CUDA C.
        defines: Macros of the compile options, as ``NAME`` or ``NAME=value``.

    Raises:
        KernelSourceError: A header that is not known here, or a fault in the directives.

    >>> print(expand("#define N 4\nint a[N];"))
    <BLANKLINE>
    int a[4];
    """
    lines = code.splitlines()
    if "#" not in code and not defines and not _mentions_macro(code):
        return code
    from gpuedu.simt.cuda_c.directives import Preprocessor  # most texts need no pcpp

    reader = Preprocessor(HEADERS)
    for define in (*(f"{name} {value}" for name, value in MACROS.items()), *_given(defines)):
        reader.define(define)
    reader.parse(code + "\n", "kernel")
    text = _laid_out(reader)
    if reader.faults:
        line, message = reader.faults[0]
        shown = lines[line - 1] if 0 < line <= len(lines) else ""
        if not line:
            line = next((at for at, text in enumerate(lines, 1) if _includes(text, message)), 1)
            shown = lines[line - 1]
        raise KernelSourceError(
            f"{message} cannot be used here" if message.startswith("`") else message,
            function="the source",
            line=line,
            text=shown,
            remedy="CUDA's own headers of numbers, mathematics, fp16, warp matrices and "
            "cooperative groups are known"
            if message.startswith("`#include")
            else "",
        )
    return text


def includes(code: str, header: str) -> bool:
    """Whether a source text asks for a header.

    >>> includes("#include <mma.h>", "mma.h"), includes("// mma.h", "mma.h")
    (True, False)
    """
    return any(_includes(line, f"<{header}>") for line in code.splitlines())


def _includes(text: str, message: str) -> bool:
    """Whether a line of the source is the include that a message is about."""
    name = message.partition("<")[2].partition(">")[0]
    return "#" in text and "include" in text and name in text


def _mentions_macro(code: str) -> bool:
    return any(name.partition("(")[0] in code for name in MACROS)


def _given(defines: Iterable[str]) -> list[str]:
    parts = [define.partition("=") for define in defines]
    return [f"{name} {value or '1'}" for name, _, value in parts]


def _laid_out(reader: Preprocessor) -> str:
    """The tokens at their lines; what a macro became stands on the line of its use."""
    out, line = StringIO(), 1
    for token in iter(reader.token, None):
        value = token.value
        if "\n" in value and not value.strip():
            continue
        if token.lineno > line:
            out.write("\n" * (token.lineno - line))
            line = token.lineno
        out.write(value)
        line += value.count("\n")
    return out.getvalue()
