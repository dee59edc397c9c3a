"""Which name a learner may have meant by a name that CUDA C does not know."""

from __future__ import annotations

import difflib
import re

_NAME = re.compile(r"[A-Za-z_]\w*")
_BUILT_IN = (
    *("threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "nullptr", "unsigned", "double"),
    *("__syncthreads", "__syncwarp", "__shared__", "__device__", "__global__", "__restrict__"),
    *("__constant__", "__threadfence", "__ldg", "__ballot_sync", "__any_sync", "__all_sync"),
    *("__shfl_sync", "__shfl_down_sync", "__shfl_up_sync", "__shfl_xor_sync", "__popc", "printf"),
    *("atomicAdd", "atomicSub", "atomicMax", "atomicMin", "atomicCAS", "atomicExch", "float"),
    *("sqrtf", "rsqrtf", "expf", "logf", "sinf", "cosf", "tanhf", "powf", "fabsf", "fminf"),
    *("fmaxf", "make_float2", "make_float4", "return"),
)
_PARTS = ("threadIdx", "blockIdx", "blockDim", "gridDim")  # these have .x, .y and .z
_INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
_MATH = "#include <math_constants.h>, and"
_MEANT = {
    "thread": "threadIdx.x",
    "threadId": "threadIdx.x",
    "block": "blockIdx.x",
    "blockId": "blockIdx.x",
    "cuda": _INDEX,
    "tid": _INDEX.replace("int i", "int tid"),
    "range": "for (int i = 0; i < n; ++i)",
    "len": "the length as an argument of the kernel, such as int n",
    "print": 'printf("%d", i)',
    "cout": 'printf("%d", i)',
    "True": "true",
    "False": "false",
    "None": "0, or nullptr for a pointer",
    "NULL": "nullptr",
    "elif": "else if (...)",
    "def": "a type in front of the name: __global__ void kernel(float* a) { ... }",
    "string": "const char*",
    "T": "float, or the type of the arrays: there is a T only where the parameters say T",
    "float32": "float",
    "float64": "double",
    "int32": "int",
    "int64": "long long",
    "uint": "unsigned int",
    "half": "#include <cuda_fp16.h>",
    "__half": "#include <cuda_fp16.h>",
    "float16": "#include <cuda_fp16.h>, and half",
    "complex": "#include <cupy/complex.cuh>",
    "INFINITY": f"{_MATH} CUDART_INF_F",
    "inf": f"{_MATH} CUDART_INF_F",
    "NAN": f"{_MATH} CUDART_NAN_F",
    "M_PI": f"{_MATH} CUDART_PI_F",
    "FLT_MAX": "3.402823466e38f",
    "INT_MAX": "2147483647",
}
_SIZED = re.compile(r"u?int(?:8|16|32|64)_t")
_OLD_SHUFFLE = re.compile(r"__(?:shfl(?:_\w+)?|ballot|any|all)")
_HOST = re.compile(r"cuda[A-Z]\w*")


_DEFINED_INFINITY = re.compile(r"^\s*#\s*define\s+(\w*INF\w*)", re.MULTILINE)
_OF_NUMBA = {
    "syncthreads": "__syncthreads()",
    "syncwarp": "__syncwarp()",
    "gridsize": "gridDim.x * blockDim.x",
    "shared": "__shared__ float part[256];",
    "local": "float own[4];",
    "atomic": "atomicAdd(&a[i], value)",
    "threadfence": "__threadfence()",
    **{name: f"{name}.x" for name in _PARTS},
}
_CALLED_ON_CUDA = re.compile(r"\bcuda\.(\w+)")


def without_numba(text: str) -> str:
    """What CUDA C says in place of the first ``cuda.something`` of a line.

    >>> without_numba("cuda.syncthreads();")
    '__syncthreads() in place of cuda.syncthreads'
    """
    found = _CALLED_ON_CUDA.search(text)
    called = found[1] if found else ""
    if called.endswith("_sync"):
        return f"__{called}(0xffffffff, ...) in place of cuda.{called}"
    said = _OF_NUMBA.get(called)
    return f"{said} in place of cuda.{called}" if said else _INDEX


def likely_name(name: str, code: str) -> str:
    """What to write in place of an unknown name; empty if nothing is close.

    Names that differ only in case and underscores come first, then names in the code.

    >>> likely_name("threadidx", "")
    'threadIdx.x'
    >>> likely_name("summ", "float sum = 0;")
    'sum'
    """
    infinity = _DEFINED_INFINITY.search(code) if name in ("inf", "INFINITY") else None
    if infinity:
        return f"{infinity[1]}, which the code defines"
    if name in _MEANT:
        return _MEANT[name]
    if _SIZED.fullmatch(name):
        return "#include <cuda/std/cstdint>"
    if _OLD_SHUFFLE.fullmatch(name):
        return f"{name}_sync, with a mask first: {name}_sync(0xffffffff, ...)"
    if _HOST.fullmatch(name):
        return "the host's part in Python: a kernel cannot call the CUDA runtime here"
    defined = re.search(rf"^\s*(?:__device__|static|inline)?.*\b{name}\s*\([^;]*\{{", code, re.M)
    if defined:
        return f"the function `{name}` above the first one that calls it"
    own = [one for one in dict.fromkeys(_NAME.findall(_without_texts(code))) if one != name]
    near = _near_in_case(name, own) or _near(name, own) or _near(name, list(_BUILT_IN))
    return f"{near}.x" if near in _PARTS else f"{near}()" if near == "__syncthreads" else near


def _near(name: str, known: list[str]) -> str:
    found = difflib.get_close_matches(name, known, 1, cutoff=0.75)
    return found[0] if found else ""


def _near_in_case(name: str, own: list[str]) -> str:
    """A name that differs in capitals and underscores only."""
    folded = _folded(name)
    return next((one for one in (*_BUILT_IN, *own) if _folded(one) == folded), "")


def _folded(name: str) -> str:
    return name.replace("_", "").lower()


def _without_texts(code: str) -> str:
    """The code without comments and texts, roughly: their words are no names."""
    return re.sub(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", " ", code, flags=re.DOTALL)
