"""Kernels made around expressions, by CuPy and by its stand-in: ``cp`` is either of the two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from tests.gpu.case import floats, integers
from tests.gpu.cuda_c import why_no_cuda_c

ROUNDING = 1e-5


@dataclass(frozen=True)
class Made:
    """One kernel and one call: ``run`` makes both from ``cp`` and device arrays of ``inputs``.

    ``oracle`` is the same in NumPy. ``tolerance`` is that of ``tests.gpu.case.Case``.
    """

    name: str
    run: Callable[..., Any]
    inputs: Callable[[], tuple[np.ndarray, ...]]
    oracle: Callable[..., Any]
    tolerance: float = ROUNDING

    def on(self, cp: ModuleType) -> tuple[np.ndarray, ...]:
        """The results of CuPy or its stand-in, on the host."""
        found = self.run(cp, *(cp.asarray(host) for host in self.inputs()))
        return tuple(one.get() for one in (found if isinstance(found, tuple) else (found,)))

    def expected(self) -> tuple[np.ndarray, ...]:
        """NumPy's results."""
        found = self.oracle(*self.inputs())
        return tuple(map(np.asarray, found if isinstance(found, tuple) else (found,)))


def _element(*args: Any, **kwargs: Any) -> Callable[..., Any]:
    """A call of an ElementwiseKernel on all inputs."""
    return lambda cp, *arrays: cp.ElementwiseKernel(*args, **kwargs)(*arrays)


def _reduce(*args: Any, axis: Any = None, keepdims: bool = False, **kwargs: Any) -> Callable:
    """A call of a ReductionKernel on all inputs."""
    return lambda cp, *arrays: cp.ReductionKernel(*args, **kwargs)(
        *arrays, axis=axis, keepdims=keepdims
    )


def _on_views(cp: ModuleType, x: Any, y: Any) -> Any:
    kernel = cp.ElementwiseKernel("T x, T y", "T z", "z = x * y + x", "on_views")
    return kernel(x[::-2, ::3], y[::-1])


def _into_a_view(cp: ModuleType, x: Any) -> Any:
    out = cp.zeros((12, 40), cp.float32)
    cp.ElementwiseKernel("T x", "T z", "z = 2 * x", "into_a_view")(x, out[::-1, ::2])
    return out


def _into_a_view_oracle(x: np.ndarray) -> np.ndarray:
    out = np.zeros((12, 40), np.float32)
    out[::-1, ::2] = 2 * x
    return out


def _with_numbers(cp: ModuleType, x: Any) -> Any:
    kernel = cp.ElementwiseKernel("float32 x, int32 k, T s", "T z", "z = x * k + s", "with_numbers")
    return kernel(x, 3.7, cp.asarray(np.float64(0.5)))


def _all_raw(cp: ModuleType, x: Any) -> Any:
    return cp.ElementwiseKernel(
        "raw T x", "raw T z", "z[i] = x[x.size() - 1 - i] + _ind.size()", "all_raw"
    )(x, size=50)


_PAIR = """
struct Best { float value; int at; };
__device__ Best best_of(float value, int at) { Best b; b.value = value; b.at = at; return b; }
__device__ Best better(Best a, Best b) {
    return a.value > b.value || (a.value == b.value && a.at < b.at) ? a : b;
}
"""

MADE: tuple[Made, ...] = (
    Made(
        "broadcast by CuPy",
        _element("T x, T y", "T z", "z = x * y + x", "broadcast"),
        lambda: (floats(7, 1, 30), floats(5, 1)),
        lambda x, y: x * y + x,
    ),
    Made("strided views", _on_views, lambda: (floats(20, 60), floats(20)), lambda x, y: (
        x[::-2, ::3] * y[::-1] + x[::-2, ::3]
    )),
    Made("into a view", _into_a_view, lambda: (floats(12, 20),), _into_a_view_oracle, 0.0),
    Made("numbers", _with_numbers, lambda: (floats(33),), lambda x: x.astype(np.float64) * 3 + 0.5),
    Made(
        "all raw",
        _all_raw,
        lambda: (integers(60, high=100),),
        lambda x: x[::-1][:50] + 50,
    ),
    Made(
        "two outputs",
        _element("T x, T y", "T q, T r", "q = x / y; r = x % y", "two_outputs"),
        lambda: (integers(500, high=1000) - 500, integers(500, high=9) + 1),
        lambda x, y: (np.trunc(x / y).astype(np.int32), np.fmod(x, y)),
    ),
    Made(
        "preamble",
        _element(
            "T x", "T y", "y = folded(x) * scale",
            preamble="#define HALF 0.5f\n__device__ T folded(T x) { return x < HALF ? x : 1 - x; }",
            loop_prep="T scale = SCALE;",
            options=("-DSCALE=3",),
        ),
        lambda: (floats(300),),
        lambda x: np.where(x < 0.5, x, 1 - x) * np.float32(3),
    ),
    Made(
        "halves",
        _element("T x, T y", "T z", "T t = x * y; z = t > T(0) ? t + x : exp(t)", "halves"),
        lambda: (floats(200, dtype=np.float16), floats(200, dtype=np.float16)[::-1].copy()),
        lambda x, y: _halves(x.astype(np.float32), y.astype(np.float32)),
        2e-3,
    ),
    Made(
        "small integers",
        _element("uint8 x, uint8 y", "uint8 z, bool less", "z = x * y + x; less = x < y"),
        lambda: (integers(90, high=256, dtype=np.uint8), integers(91, high=256, dtype=np.uint8)[1:]),
        lambda x, y: (x * y + x, x < y),
        0.0,
    ),
    Made(
        "sum of integers",
        _reduce("T x", "T y", "x", "a + b", "y = a", "0", "int_sum", axis=(0, 2), keepdims=True),
        lambda: (integers(9, 40, 11, high=1000),),
        lambda x: x.sum(axis=(0, 2), keepdims=True, dtype=x.dtype),
        0.0,
    ),
    Made(
        "norm",
        _reduce("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm", axis=1),
        lambda: (floats(17, 700),),
        lambda x: np.sqrt((x.astype(np.float64) ** 2).sum(axis=1)).astype(np.float32),
    ),
    Made(
        "dot of broadcast",
        _reduce("T x, T y", "float64 z", "x * y", "a + b", "z = a", "0", "dot", axis=0),
        lambda: (floats(30, 1, 5), floats(8, 1)),
        lambda x, y: (x.astype(np.float64) * y).sum(axis=0),
    ),
    Made(
        "largest without identity",
        _reduce("T x", "T y", "x", "max(a, b)", "y = a", None, "largest", axis=0),
        lambda: (integers(40, 20, high=100) - 97,),
        lambda x: np.maximum(x.max(axis=0), 0),
        0.0,
    ),
    Made(
        "where the largest is",
        _reduce(
            "T x, int32 k", "int32 y", "best_of(x, k)", "better(a, b)", "y = a.at",
            "best_of(-2.0f, -1)", "where_largest", reduce_type="Best", preamble=_PAIR, axis=1,
        ),
        lambda: (floats(12, 300), np.arange(300, dtype=np.int32)),
        lambda x, k: x.argmax(axis=1).astype(np.int32),
        0.0,
    ),
    Made(
        "two sums at once",
        # An output called y did not compile on a GPU (CuPy 14.2): where CuPy reduces with CUB, it
        # renames the parameter in the last expression, it seems the member in `a.y`, too.
        _reduce(
            "float32 x", "float32 v", "make_float2(x, x * x)",
            "make_float2(a.x + b.x, a.y + b.y)", "v = a.y / 400 - a.x * a.x / 160000",
            "make_float2(0, 0)", "variance", reduce_type="float2", axis=-1,
        ),
        lambda: (floats(6, 400),),
        lambda x: x.var(axis=-1, dtype=np.float64).astype(np.float32),
    ),
)  # fmt: skip


def made_cases() -> tuple[Made, ...]:
    """All of them; none where CUDA C cannot be run."""
    return () if why_no_cuda_c() else MADE


def _halves(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    t = x * y
    return np.where(t > 0, t + x, np.exp(t)).astype(np.float16)
