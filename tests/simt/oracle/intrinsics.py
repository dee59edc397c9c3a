"""What numba.cuda, math and Python's builtins do in a kernel, for one thread."""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable, Generator, Iterable
from typing import Any

import numpy as np
from numba import cuda
from numba.cuda import types

from tests.simt.oracle.inference import dtype_of
from tests.simt.oracle.memory import View, exchange, raw_memory
from tests.simt.oracle.threads import Request, Thread
from tests.simt.oracle.values import cast

Suspending = Callable[..., Generator[Request, object, object]]
FULL = 0xFFFFFFFF


def _bits(value: object) -> int:
    return int(value) & ((1 << 8 * value.dtype.itemsize) - 1)


def _grid(thread: Thread, dimensions: int) -> object:
    at = [
        thread.block.index[k] * thread.block_dim[k] + thread.index[k]
        for k in range(int(dimensions))
    ]
    return at[0] if dimensions == 1 else tuple(at)


def _gridsize(thread: Thread, dimensions: int) -> object:
    size = [thread.grid_dim[k] * thread.block_dim[k] for k in range(int(dimensions))]
    return size[0] if dimensions == 1 else tuple(size)


def _brev(thread: Thread, value: object) -> int:
    bits = 8 * value.dtype.itemsize
    return int(f"{_bits(value):0{bits}b}"[::-1], 2)


def _ffs(thread: Thread, value: object) -> int:
    raw = _bits(value)
    return (raw & -raw).bit_length()


PLAIN: dict[str, Callable[..., object]] = {
    "grid": _grid,
    "gridsize": _gridsize,
    "popc": lambda thread, value: _bits(value).bit_count(),
    "clz": lambda thread, value: 8 * value.dtype.itemsize - _bits(value).bit_length(),
    "brev": _brev,
    "ffs": _ffs,
    "selp": lambda thread, condition, a, b: a if condition else b,
    "threadfence": lambda thread: thread.ordering.fence(thread.number),
    "threadfence_system": lambda thread: thread.ordering.fence(thread.number),
    "threadfence_block": lambda thread: None,
    "fma": lambda thread, a, b, c: a.dtype.type(float(a) * float(b) + float(c)),
    "cbrt": lambda thread, a: np.cbrt(a),
}

CHANGES: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "and_": np.bitwise_and,
    "or_": np.bitwise_or,
    "xor": np.bitwise_xor,
    "max": max,
    "min": min,
    "exch": lambda old, value: value,
    "inc": lambda old, top: 0 if old >= top else old + 1,
    "dec": lambda old, top: top if old == 0 or old > top else old - 1,
}


def atomic(name: str, args: list[object], thread: Thread, line: int) -> object:
    """One atomic operation of ``cuda.atomic``: its result is the old value."""
    view, index = args[:2]
    to_dtype = view.array.dtype.type
    if name in ("cas", "compare_and_swap"):
        index = index if name == "cas" else (0,) * view.array.ndim
        expected, new = (_to(to_dtype, v) for v in args[-2:])
        return exchange(
            view, index, lambda old: new if old == expected else None, thread, line, blind=False
        )
    change, value = CHANGES[name], _to(to_dtype, args[2])
    blind = name == "exch"
    return exchange(
        view, index, lambda old: to_dtype(change(old, value)), thread, line, blind=blind
    )


def _to(to_dtype: type, value: object) -> np.generic:
    return np.asarray(value).astype(to_dtype)[()]


def _barrier(option: str | None) -> Suspending:
    def wait(site: object, line: int, value: object = None) -> Generator[Request, object, object]:
        return (yield Request("block", site, line, value, option=option))

    return wait


def _syncwarp(site: object, line: int, mask: object = FULL) -> Generator[Request, object, object]:
    return (yield Request("syncwarp", site, line, mask=int(mask) & FULL))


def _shuffle(how: str) -> Suspending:
    def wait(
        site: object, line: int, mask: object, value: object, amount: object
    ) -> Generator[Request, object, object]:
        option = (how, int(amount))
        return (yield Request("shuffle", site, line, value, int(mask) & FULL, option))

    return wait


def _warp(what: str, option: str) -> Suspending:
    def wait(
        site: object, line: int, mask: object, value: object
    ) -> Generator[Request, object, object]:
        return (yield Request(what, site, line, value, int(mask) & FULL, option))

    return wait


SUSPENDING: dict[str, Suspending] = {
    "syncthreads": _barrier(None),
    "syncthreads_count": _barrier("count"),
    "syncthreads_and": _barrier("and"),
    "syncthreads_or": _barrier("or"),
    "syncwarp": _syncwarp,
    "shfl_sync": _shuffle("idx"),
    "shfl_up_sync": _shuffle("up"),
    "shfl_down_sync": _shuffle("down"),
    "shfl_xor_sync": _shuffle("xor"),
    "all_sync": _warp("vote", "all"),
    "any_sync": _warp("vote", "any"),
    "eq_sync": _warp("vote", "eq"),
    "ballot_sync": _warp("vote", "ballot"),
    "match_any_sync": _warp("match", "any"),
    "match_all_sync": _warp("match", "all"),
}


def _extreme(better: Callable[[object, object], bool]) -> Callable[..., object]:
    def choose(signature: object, *values: object) -> object:
        values = values if len(values) > 1 else tuple(values[0])
        best, *rest = (cast(v, signature.return_type) for v in values)
        for value in rest:
            best = value if better(value, best) else best
        return best

    return choose


def _sum(signature: object, values: Iterable[object]) -> object:
    total = cast(0, signature.return_type)
    for value in values:
        total = total + cast(value, signature.return_type)
    return total


def _divmod(signature: object, *values: object) -> object:
    a, b = (cast(v, signature.return_type.types[0]) for v in values)
    return np.floor_divide(a, b), np.remainder(a, b)


def _round(signature: object, value: object, *digits: object) -> object:
    return np.round(cast(value, signature.args[0]), *map(int, digits))


BUILTINS: dict[object, Callable[..., object]] = {
    builtins.range: lambda signature, *bounds: range(*map(int, bounds)),
    builtins.abs: lambda signature, value: np.abs(cast(value, signature.args[0])),
    builtins.min: _extreme(operator.lt),
    builtins.max: _extreme(operator.gt),
    builtins.round: _round,
    builtins.divmod: _divmod,
    builtins.sum: _sum,
    cuda.const.array_like: lambda signature, array: array,
    builtins.len: lambda signature, value: len(getattr(value, "array", value)),
    builtins.bool: lambda signature, value: np.bool_(value),
    builtins.int: lambda signature, value: value,
    builtins.float: lambda signature, value: value,
    builtins.slice: lambda signature, *parts: slice(*parts),
    builtins.enumerate: lambda signature, *parts: enumerate(*parts),
    builtins.zip: lambda signature, *parts: zip(*parts, strict=False),
    operator.not_: lambda signature, value: np.bool_(not value),
}

_SAME_NAME = (
    "sqrt exp expm1 log log2 log10 log1p sin cos tan sinh cosh tanh fabs floor ceil trunc hypot "
    "isnan isinf isfinite copysign fmod"
)
MATHEMATICS: dict[object, Callable[..., object]] = {
    getattr(math, name): getattr(np, name) for name in _SAME_NAME.split()
} | {
    math.pow: np.power,
    math.asin: np.arcsin,
    math.acos: np.arccos,
    math.atan: np.arctan,
    math.atan2: np.arctan2,
    math.asinh: np.arcsinh,
    math.acosh: np.arccosh,
    math.atanh: np.arctanh,
}


def _names() -> dict[int, str]:
    """The names of numba.cuda's own functions by identity."""
    found = {id(getattr(cuda, name)): name for name in (*PLAIN, *SUSPENDING)}
    atomics = (*CHANGES, "cas", "compare_and_swap")
    found |= {id(getattr(cuda.atomic, name)): f"atomic.{name}" for name in atomics}
    return found | {id(cuda.shared.array): "shared.array", id(cuda.local.array): "local.array"}


NAMES = _names()


def array_for(
    name: str, args: list[object], frame_arrays: dict[object, View], thread: Thread, site: object
) -> View:
    """The array that ``cuda.shared.array`` or ``cuda.local.array`` declares at this place."""
    shape = args[0] if isinstance(args[0], tuple) else (args[0],)
    shape = tuple(map(int, shape))
    dtype = dtype_of(args[1]) or np.dtype(args[1])
    if name == "shared.array":
        return thread.block.shared(site, dtype, shape)
    if site not in frame_arrays:
        size = int(np.prod(shape)) * dtype.itemsize
        frame_arrays[site] = raw_memory(size, private=True).view(dtype, shape)
    return frame_arrays[site]


def is_conversion(kind: object) -> bool:
    """Whether a callee is a type, such as ``float32`` in ``float32(x)``."""
    return isinstance(kind, types.NumberClass)
