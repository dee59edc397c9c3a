"""Triton's builder of operations, with hooks at its memory, its products and its arithmetic.

Triton's interpreter computes with addresses of the process; here every load and store goes through
``Hooks`` instead, and no address is ever followed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import triton.language as tl
from triton.runtime import interpreter as its

from gpuedu.triton import libdevice
from gpuedu.triton.short_floats import SHORT, convert, is_known, wide
from gpuedu.triton.unknown import origins, plain, unknown_of

_FLOATING = ("create_fadd", "create_fsub", "create_fmul", "create_fdiv", "create_frem")
_MATH = ("exp", "exp2", "log", "log2", "sqrt", "precise_sqrt", "sin", "cos", "erf", "rsqrt")
_COMPARING = (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal)


class Hooks(Protocol):
    """What a launch does when a kernel touches memory or computes; all arrays are NumPy's."""

    def address(self, numbers: np.ndarray) -> np.ndarray:
        """The addresses that numbers stand for when they are made pointers."""

    def load(
        self, address: np.ndarray, active: np.ndarray, other: Any, dtype: Any, kind: str
    ) -> np.ndarray:
        """The values at addresses; where not active, ``other``, or unknown."""

    def store(self, address: np.ndarray, active: np.ndarray, value: np.ndarray, kind: str) -> None:
        """Write values."""

    def use(self, value: np.ndarray, kind: str) -> None:
        """All of these values go to memory, or decide what is done."""

    def mix(self, origins: np.ndarray) -> None:
        """Values of these origins (0: known) enter results that depend on others, too."""

    def atomic(
        self, address: np.ndarray, active: np.ndarray, change: Callable[..., Any], value: Any
    ) -> np.ndarray:
        """The values before; afterwards memory holds ``change(before, value)``."""

    def compute(self, flop: int, dtype: str) -> None:
        """Floating-point operations of a block."""

    def product(self, is_tf32: bool) -> None:
        """A product of blocks, and whether its float32 factors are rounded to TF32."""


class _Builder(its.InterpreterBuilder):
    """Triton's builder; an instance of it becomes one of this class for the time of a launch."""

    hooks: Hooks

    def create_masked_load(
        self, ptrs: Any, mask: Any, other: Any, cache_policy: Any, is_volatile: Any
    ) -> Any:
        kind = ptrs.get_element_ty()
        active = _mask(mask, ptrs)
        otherwise = None if other is None else other.data
        dtype = its._get_np_dtype(kind)
        got = self.hooks.load(ptrs.data, active, otherwise, dtype, str(kind))
        return its.TensorHandle(got, kind)

    def create_masked_store(self, ptrs: Any, value: Any, mask: Any, cache_policy: Any) -> None:
        given = np.broadcast_to(value.data, ptrs.data.shape)
        self.hooks.store(ptrs.data, _mask(mask, ptrs), given, str(value.dtype.scalar))

    def create_atomic_rmw(
        self, rmwOp: Any, ptr: Any, val: Any, mask: Any, sem: Any, scope: Any
    ) -> Any:
        change = _CHANGES[str(rmwOp).rpartition(".")[2]]
        shape = ptr.data.shape
        given = np.broadcast_to(val.data, shape), _mask(mask, ptr)
        self.hooks.use(given[0][given[1]], str(val.dtype.scalar))
        before = self.hooks.atomic(ptr.data, given[1], change, given[0])
        return its.TensorHandle(plain(before, str(val.dtype.scalar)), val.dtype.scalar)

    def create_atomic_cas(self, ptr: Any, cmp: Any, val: Any, sem: Any, scope: Any) -> Any:
        wanted = np.broadcast_to(cmp.data, ptr.data.shape)

        def change(before: Any, value: Any) -> Any:
            return np.where(before == wanted.ravel(), value, before)

        active = np.ones(ptr.data.shape, bool)
        value = np.broadcast_to(val.data, ptr.data.shape)
        before = self.hooks.atomic(ptr.data, active, change, value)
        return its.TensorHandle(before, cmp.dtype.scalar)

    def create_bitcast(self, src: Any, dst_type: Any) -> Any:
        result = super().create_bitcast(src, dst_type)
        if dst_type.scalar.is_ptr() and not src.dtype.scalar.is_ptr():
            result.data = self.hooks.address(result.data)
        return result

    create_int_to_ptr = create_bitcast

    def create_dot(
        self, a: Any, b: Any, d: Any, input_precision: Any, max_num_imprecise_acc: Any
    ) -> Any:
        if d.dtype.scalar == tl.float64 and a.dtype.scalar != tl.float64:
            # the compiler's front end takes it, and a later pass fails without a reason
            raise NotImplementedError(f"tl.dot of {a.dtype.scalar} factors with a float64 sum")
        self.hooks.compute(2 * d.data.size * a.data.shape[-1], str(a.dtype.scalar))
        is_tf32 = a.dtype.scalar == tl.float32 and str(input_precision).endswith(".TF32")
        self.hooks.product(is_tf32)
        of_a, of_b = (origins(x.data, str(x.dtype.scalar)) for x in (a, b))
        if is_tf32:
            a, b = (its.TensorHandle(its._round_f32_to_tf32(x.data), x.dtype) for x in (a, b))
        a, b = _wide(a), _wide(b)
        result = super().create_dot(a, b, d, input_precision, max_num_imprecise_acc)
        if of_a.any() or of_b.any():
            self.hooks.mix(np.concatenate([of_a.ravel(), of_b.ravel()]))
            _forget(result, np.maximum(of_a.max(-1)[..., :, None], of_b.max(-2)[..., None, :]))
        return result

    def create_fma(self, x: Any, y: Any, z: Any) -> Any:
        self.hooks.compute(2 * z.data.size, str(z.dtype.scalar))
        kind = str(z.dtype.scalar)
        if kind not in SHORT:
            return super().create_fma(x, y, z)
        return _narrow(super().create_fma(*map(_wide, (x, y, z))).data, z.dtype.scalar)

    def binary_op(self, lhs: Any, rhs: Any, op: Any) -> Any:
        if op in _COMPARING and lhs.data.size == 1:  # a block's truth values may be masked, later
            for side in (lhs, rhs):
                self.hooks.use(side.data, str(side.dtype.scalar))
        if str(lhs.dtype.scalar) not in SHORT:
            return super().binary_op(lhs, rhs, op)
        return _narrow(op(_wide(lhs).data, _wide(rhs).data), lhs.dtype.scalar)

    def unary_op(self, arg: Any, op: Any) -> Any:
        kind = str(arg.dtype.scalar)
        if kind in SHORT:
            result = _narrow(op(_wide(arg).data), arg.dtype.scalar)
        else:
            result = super().unary_op(arg, op)
        if result.data.dtype == arg.data.dtype:  # NumPy's `exp` of a NaN is another NaN
            _forget(result, origins(arg.data, kind))
        return result

    def create_rsqrt(self, arg: Any) -> Any:
        return self.unary_op(arg, lambda x: 1 / np.sqrt(x))

    def create_maxnumf(self, lhs: Any, rhs: Any) -> Any:
        return self._of_two(lhs, rhs, np.fmax)

    def create_minnumf(self, lhs: Any, rhs: Any) -> Any:
        return self._of_two(lhs, rhs, np.fmin)

    def create_extern_elementwise(
        self, libName: Any, libPath: Any, symbol: str, argList: Any, retType: Any, isPure: Any
    ) -> Any:
        dtype = its._get_np_dtype(retType)
        got = libdevice.compute(symbol, [one.data for one in argList], dtype)
        if got is None:
            raise NotImplementedError(f"`{symbol}` of libdevice is not known without a GPU")
        self.hooks.compute(got.size, str(retType.scalar))
        return its.TensorHandle(got, retType.scalar)

    def _of_two(self, lhs: Any, rhs: Any, op: Any) -> Any:
        """One of two numbers, and not a NaN; but what is not known stays so."""
        kind = str(lhs.dtype.scalar)
        self.hooks.compute(lhs.data.size, kind)
        result = self.binary_op(lhs, rhs, op)
        _forget(result, np.maximum(origins(lhs.data, kind), origins(rhs.data, kind)))
        return result

    def cast_impl(self, src: Any, dst_type: Any) -> Any:
        source, target = str(src.dtype.scalar), str(dst_type.scalar)
        if {source, target} & set(SHORT) and is_known(source) and is_known(target):
            return its.TensorHandle(convert(src.data, source, target), dst_type.scalar)
        if source in SHORT:
            return super().cast_impl(_wide(src), dst_type)
        if target in SHORT:
            return _narrow(src.data.astype(np.float32), dst_type.scalar)
        return super().cast_impl(src, dst_type)

    def create_fp_to_fp(self, src: Any, dst_type: Any, rounding_mode: Any) -> Any:
        names = str(src.dtype.scalar), str(dst_type.scalar)
        if all(map(is_known, names)) and not str(rounding_mode).endswith("RTZ"):
            return self.cast_impl(src, dst_type)
        return super().create_fp_to_fp(src, dst_type, rounding_mode)


def watched_apply(hooks: Hooks) -> Callable[..., Any]:
    """A reduction or scan, which takes an operation for each element.

    A result is unknown if one of its elements is.
    """
    of_triton = its.ReduceScanOpInterface.apply

    def apply(self: Any, given: Any) -> Any:
        if isinstance(given, tuple):
            return of_triton(self, given)
        data, kind = given.handle.data, str(given.handle.dtype.scalar)
        rows = data.size // data.shape[int(self.axis)] if self.axis is not None else 1
        hooks.compute(data.size - rows, kind)
        lost = origins(data, kind)
        if not lost.any():
            return of_triton(self, given)
        hooks.mix(lost)
        known = its.TensorHandle(np.where(lost, data.dtype.type(0), data), given.handle.dtype)
        result = of_triton(self, tl.core.tensor(known, given.type))
        _forget(result.handle, _reached(self, lost).reshape(result.handle.data.shape))
        return result

    return apply


def _reached(operation: Any, lost: np.ndarray) -> np.ndarray:
    """Origins of the results of a reduction or scan, by those of its elements."""
    if isinstance(operation, its.ReduceOps):
        return lost.max(axis=operation.axis, keepdims=operation.keep_dims)
    along = (lambda values: np.flip(values, operation.axis)) if operation.reverse else np.asarray
    return along(np.maximum.accumulate(along(lost), axis=operation.axis))


def _forget(handle: Any, lost: np.ndarray) -> None:
    """What has an origin becomes unknown."""
    if lost.any():
        kind = str(handle.dtype.scalar)
        unknown = unknown_of(handle.data.dtype, kind, np.maximum(lost - 1, 0))
        handle.data = np.where(lost, unknown, handle.data)


def _mask(mask: Any, pointers: Any) -> np.ndarray:
    """A mask for each pointer; one of a single truth value comes as a number."""
    return np.broadcast_to(mask.data.astype(bool, copy=False), pointers.data.shape)


def _wide(handle: Any) -> Any:
    """A short number in float32; others as they are."""
    kind = str(handle.dtype.scalar)
    return its.TensorHandle(wide(handle.data, kind), tl.float32) if kind in SHORT else handle


def _narrow(data: np.ndarray, dtype: Any) -> Any:
    """A result as a short number; what was compared stays a truth value."""
    if data.dtype != bool:
        data = convert(data.astype(np.float32, copy=False), "fp32", str(dtype))
    return its.TensorHandle(data, dtype)


def _counted(name: str) -> Any:
    of_triton = getattr(its.InterpreterBuilder, name)

    def create(self: _Builder, *operands: Any) -> Any:
        result = of_triton(self, *operands)
        self.hooks.compute(result.data.size, str(result.dtype.scalar))
        return result

    return create


for _name in (*_FLOATING, *(f"create_{one}" for one in _MATH)):
    setattr(_Builder, _name, _counted(_name))

_CHANGES: dict[str, Callable[..., Any]] = {
    "ADD": np.add,
    "FADD": np.add,
    "MIN": np.minimum,
    "UMIN": np.minimum,
    "MAX": np.maximum,
    "UMAX": np.maximum,
    "AND": np.bitwise_and,
    "OR": np.bitwise_or,
    "XOR": np.bitwise_xor,
    "XCHG": lambda before, value: value,
}


def hook(builder: Any, hooks: Hooks) -> Callable[[], None]:
    """Give Triton's builder these hooks; calling the result takes them away."""
    before = type(builder)
    builder.__class__, builder.hooks = _Builder, hooks

    def unhook() -> None:
        builder.__class__ = before
        del builder.hooks

    return unhook
