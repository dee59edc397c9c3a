"""The stand-in for CuPy against CuPy itself: ``python3 -m tests.gpu_checks.arrays``, on a GPU.

Each call of ``tests.arrays.cases`` runs on both, with the same inputs; results must agree in dtype,
shape, order in memory, number and kind of results and, up to rounding, in values; where one
refuses, so must the other. Then both pools are led through the same allocations. What differs is
printed, and why where that is known. Nothing but NumPy and CuPy is needed beside the checkout. Exit
status: 0 for no difference that is unknown, 1 for one, 3 where there is no GPU.
"""

from __future__ import annotations

import argparse
import builtins
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from gpuedu.arrays import cupy as stand_in
from tests.arrays.cases import CUPY_CALLS, DTYPES, calls, flat, host_inputs, run

DIFFERENT, NO_GPU = 1, 3
TIME_S = 540.0
ROUGH = 256  # units in the last place: sums are taken in another order, functions by other code

KNOWN = {
    "xp.sum(h)": "CuPy asks the host array for its own sum; refused here",
    "xp.linalg.norm(h)": "CuPy asks the host array; refused here",
    "xp.einsum('ij,kj', a, h)": "CuPy copies a host array on its own; refused here",
    "xp.linalg.inv(0 * m)": "CuPy does not look whether a matrix is singular; an error here",
    "xp.fft.fft(h)": "CuPy copies a host array on its own; refused here",
    "a[1.5]": "CuPy cuts the index to an integer; refused here",
    "bool(a[:0])": "CuPy still takes it for false; refused here",
    "xp.gcd(k, k)": "CuPy takes booleans; NumPy does not",
    "xp.sign(k)": "CuPy takes booleans; NumPy does not",
    "xp.put(a, i, v[:4]) or a": "an index comes twice; which value stays is not defined",
    "xp.unpackbits(a.astype('uint8'))": "what a negative number becomes in uint8 is not defined",
    "xp.average(v, returned=True)": "CuPy's second result is a scalar of the host",
    "xp.sort(abs(xp.roots(s[-3:])))": "CuPy has it for Hermitian companions only",
    "xp.arange(v[0], 5)": "CuPy refuses a device scalar; here it is copied to the host",
    "xp.unique_values(v)": "NumPy leaves the order open; CuPy sorts",
    "xp.argsort(v)": "NumPy leaves the order of equal elements open; CuPy keeps it",
    **dict.fromkeys(
        ("xp.blackman(6)", "xp.hamming(4)", "xp.hanning(4)", "xp.kaiser(5, 2.0)"),
        "CuPy computes the window in float32",
    ),
}
"""Reasons for all dtypes."""

ADD_AT = ("xp.add.at(a, (i[:3], i[1:]), 1) or a", "xp.add.at(a, ([0, 0], [1, 1]), 1) or a")
NARROW = {
    "xp.clip(a, -1000, 1000)": "CuPy refuses bounds beyond the dtype",
    **dict.fromkeys(ADD_AT, "CuPy adds at no integers of 8 or 16 bits"),
}
"""Reasons for integers of 8 bits."""

COMPLEX = {
    **dict.fromkeys(
        (
            "a.clip(0, 2)",
            "a.clip(1, None)",
            "xp.clip(a, 1, 3)",
            "xp.clip(a, 1, b)",
            "xp.clip(a, -1000, 1000)",
            "xp.histogram(v, bins=4)",
            "xp.histogram(v, bins=s[::3] + xp.arange(3).astype(s.dtype))",
            "xp.histogram(v, [1, 2, 3])",
            "xp.mean(a, dtype='float64')",
            *ADD_AT,
        ),
        "NumPy takes complex numbers; CuPy does not",
    ),
    **dict.fromkeys(
        (
            "xp.fft.ihfft(v)",
            "xp.fft.rfft(v)",
            "xp.fft.rfft2(a)",
            "xp.fft.rfftn(a)",
            "xp.exp(a, dtype='float64')",
        ),
        "CuPy leaves the imaginary part out; NumPy refuses",
    ),
}
"""Reasons for complex numbers."""

KNOWN_IN = {
    "bool": {
        **dict.fromkeys(
            (
                "xp.linalg.cond(m)",
                "xp.linalg.cholesky(p)",
                "xp.linalg.inv(m)",
                "xp.linalg.tensorinv(m.reshape(4, 2, 2), ind=1)",
                "xp.linalg.tensorsolve(m, m[0])",
                "xp.linalg.solve(m, a.T)",
            ),
            "a matrix of booleans is singular here; CuPy does not look",
        ),
        **dict.fromkeys(
            (
                "xp.sign(a)",
                "a.round(1)",
                "xp.around(a, 1)",
                "xp.round(a, 1)",
                "xp.round(a, -1)",
                "xp.percentile(a, 50)",
                "xp.percentile(a, 25, axis=1)",
                "xp.quantile(v, 0.3)",
            ),
            "CuPy takes booleans; NumPy does not",
        ),
        **dict.fromkeys(
            (
                "a.clip(1, None)",
                "xp.interp(v, xp.arange(7), w)",
                "xp.select([a > 1, a > 0], [a, b])",
                "xp.unique(a, axis=0)",
                *ADD_AT,
            ),
            "NumPy takes booleans; CuPy does not",
        ),
        "xp.fuse(kernel_name='k')(lambda x: x * 2 + x)(a)": "CuPy's fused product is int8",
    },
    "int8": {
        "xp.histogram(v, bins=4)": "CuPy's edges overflow in int8",
        "xp.histogram(v, bins=s[::3] + xp.arange(3).astype(s.dtype))": "these edges overflow",
        **NARROW,
    },
    "uint8": NARROW,
    "float16": {
        **dict.fromkeys(
            ("xp.fft.ifft(v)", "xp.fft.ihfft(v)", "xp.fft.irfft2(a)", "xp.fft.irfftn(a)"),
            "CuPy computes in float32, NumPy in float16",
        ),
        **dict.fromkeys(
            ("abs(xp.linalg.eigh(p)[1])", "xp.linalg.eigh(p)[0]", "xp.linalg.eigvalsh(p)"),
            "CuPy takes float16; NumPy does not",
        ),
    },
    "complex64": COMPLEX,
    "complex128": COMPLEX,
}
"""Reasons for one dtype."""

LAYOUTS = frozenset(
    {
        "a.reshape(4, 3, order='F')",
        "a.nonzero()",
        "a.argsort(axis=0)",
        "xp.diag(a, 1)",
        "xp.einsum('ij,jk->ik', a, m)",
        "xp.histogram2d(v, w, bins=3)",
        "xp.histogramdd(xp.stack([v, w]).T, bins=3)",
        "xp.linalg.solve(m, a.T)",
        "xp.nonzero(k)",
        "xp.where(k)",
    }
)
"""Calls whose results CuPy lays out otherwise in memory; their values have to agree."""


@dataclass(frozen=True)
class Difference:
    """One call that gave something else; ``known`` is the reason, where there is one."""

    call: str
    dtype: str
    cupys: str
    ours: str
    known: str = ""

    def __str__(self) -> str:
        why = f"  ({self.known})" if self.known else ""
        return f"{self.call} [{self.dtype}]: CuPy {self.cupys}; here {self.ours}{why}"


def describe(value: Any, to_host: Callable[[Any], Any]) -> list[tuple[str, Any]]:
    """A result as comparable parts: what kind of thing, and its values on the host."""
    if isinstance(value, Exception):
        kind = next(c for c in type(value).__mro__ if c.__module__ == builtins.__name__)
        return [(kind.__name__, None)]
    parts: list[tuple[str, Any]] = []
    for item in flat(value):
        if hasattr(item, "__cuda_array_interface__"):
            order = (
                "C" if item.flags.c_contiguous else "F" if item.flags.f_contiguous else "neither"
            )
            parts.append((f"{item.dtype}{item.shape} order {order}", to_host(item)))
        else:
            parts.append((type(item).__name__, item if isinstance(item, (int, float)) else None))
    return parts


def without_order(parts: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """The same parts, without the order of their elements in memory.

    >>> without_order([("int8(3,) order C", 1)])
    [('int8(3,)', 1)]
    """
    return [(kind.partition(" order ")[0], value) for kind, value in parts]


def compare(call: str, dtype: str, theirs: Any, ours: Any, cupy: Any) -> Difference | None:
    """The difference between two results; None for none."""
    left, right = describe(theirs, cupy.asnumpy), describe(ours, stand_in.asnumpy)
    known = KNOWN.get(call) or KNOWN_IN.get(dtype, {}).get(call, "")
    if isinstance(theirs, Exception) and isinstance(ours, Exception):
        known = known or "both refuse it, each with an error of its own"
    elif call in LAYOUTS:
        left, right = without_order(left), without_order(right)
    if [kind for kind, _ in left] != [kind for kind, _ in right]:
        told = [", ".join(kind for kind, _ in side) for side in (left, right)]
        faults = [f": {v}" if isinstance(v, Exception) else "" for v in (theirs, ours)]
        return Difference(call, dtype, told[0] + faults[0][:160], told[1] + faults[1][:160], known)
    for (_, their), (_, our) in zip(left, right, strict=True):
        if their is not None and not is_close(np.asarray(their), np.asarray(our)):
            return Difference(call, dtype, f"{their!r}"[:160], f"{our!r}"[:160], known)
    return None


def is_close(theirs: np.ndarray, ours: np.ndarray) -> bool:
    """Whether two host arrays agree up to rounding, relative to their largest number.

    >>> is_close(np.array([1.0, 2.0]), np.array([1.0, 2.0 + 1e-15])), is_close(
    ...     np.array([1]), np.array([2]))
    (True, False)
    """
    if theirs.dtype.kind not in "fc":
        return np.array_equal(theirs, ours)
    finite = np.abs(theirs[np.isfinite(theirs)])
    rough = ROUGH * float(np.finfo(theirs.dtype).eps)
    scale = float(finite.max(initial=1.0))
    return np.allclose(ours, theirs, rtol=rough, atol=rough * scale, equal_nan=True)


def check_calls(
    cupy: Any, end_s: float, dtypes: Sequence[str] = DTYPES
) -> Iterator[Difference | str]:
    """Run all calls on both; differences, and at the end what was left out for lack of time."""
    done = 0
    for dtype in sorted(dtypes, key=lambda name: name != "float32"):
        for call in (*calls(), *CUPY_CALLS.strip().splitlines()):
            if time.monotonic() > end_s:
                yield f"out of time after {done} calls, in {dtype}"
                return
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                theirs, ours = (run(call, xp, on_device(xp, dtype)) for xp in (cupy, stand_in))
            found = compare(call, dtype, theirs, ours, cupy)
            done += 1
            if found:
                yield found
    yield f"{done} calls were run"


def on_device(xp: Any, dtype: str) -> dict[str, Any]:
    """The inputs as device arrays; ``h`` is one of them on the host, ``np`` is NumPy."""
    host = host_inputs(dtype)
    return {name: xp.asarray(x) for name, x in host.items()} | {"h": host["a"], "np": np}


def check_pool(cupy: Any) -> Iterator[Difference]:
    """Lead both pools through the same allocations and compare their books after each."""
    books = [list(walk_pool(xp)) for xp in (cupy, stand_in)]
    for (step, theirs), (_, ours) in zip(*books, strict=True):
        if theirs != ours:
            yield Difference(f"pool: {step}", "bytes", str(theirs), str(ours))


def walk_pool(xp: Any) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Allocations of a fixed story; after each: used, total and free bytes, and free blocks."""
    pool = xp.cuda.MemoryPool()

    def books() -> tuple[int, ...]:
        return pool.used_bytes(), pool.total_bytes(), pool.free_bytes(), pool.n_free_blocks()

    held: dict[str, Any] = {}
    with xp.cuda.using_allocator(pool.malloc):
        for name, size in (("a", 1000), ("b", 513), ("c", 8192), ("d", 1), ("e", 0)):
            held[name] = xp.empty(size, dtype=xp.int8)
            yield f"take {name}", books()
        for name in "cab":
            del held[name]
            yield f"free {name}", books()
        held["f"] = xp.empty(700, dtype=xp.int8)
        held["g"] = xp.empty(3000, dtype=xp.int8)
        yield "take 700 and 3000 again", books()
        pool.free_all_blocks()
        yield "give back", books()
        pool.set_limit(size=pool.total_bytes() + 512)
        try:
            held["h"] = xp.empty(100_000, dtype=xp.int8)
        except MemoryError as fault:
            yield f"beyond the limit: {str(fault).partition('. Try')[0]}", books()
        held.clear()
        pool.free_all_blocks()
        yield "give all back", books()


def main(arguments: list[str] | None = None) -> int:
    """Run both checks and print what differs."""
    parser = argparse.ArgumentParser(prog="python3 -m tests.gpu_checks.arrays")
    parser.add_argument("dtypes", nargs="*", help="dtypes to try, all by default")
    parser.add_argument(
        "--time-s", type=float, default=TIME_S, help="seconds until the rest is left"
    )
    options = parser.parse_args(arguments)
    try:
        import cupy

        count = cupy.cuda.runtime.getDeviceCount()
    except Exception as fault:
        print(f"CuPy has no GPU here ({type(fault).__name__}); nothing was run.")
        return NO_GPU
    print(f"CuPy {cupy.__version__}, NumPy {np.__version__}, {count} devices", flush=True)
    unknown = 0
    end_s = time.monotonic() + options.time_s
    for found in chain(check_pool(cupy), check_calls(cupy, end_s, options.dtypes or DTYPES)):
        print(found, flush=True)
        unknown += isinstance(found, Difference) and not found.known
    print(f"{unknown} differences that are not known")
    return DIFFERENT if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
