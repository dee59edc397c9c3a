"""Numba's typed intermediate form, walked by one thread at a time."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numba.cuda import dispatcher, types

from tests.simt.oracle import intrinsics
from tests.simt.oracle.inference import TypedFunction, infer_types
from tests.simt.oracle.memory import Memory, View, load, store
from tests.simt.oracle.threads import Request, SpinsForeverError, Thread
from tests.simt.oracle.values import as_number, binary, cast, unary

Steps = Generator[Request, object, object]


@dataclass(eq=False)
class Frame:
    """One call of a function by one thread: its variables and its local arrays."""

    function: TypedFunction
    thread: Thread
    site: tuple[object, ...]
    values: dict[str, object] = field(default_factory=dict)
    arrays: dict[object, View] = field(default_factory=dict)

    def __getitem__(self, variable: object) -> object:
        return self.values[variable.name]


def run_kernel(
    function: TypedFunction, args: list[object], thread: Thread
) -> Generator[Request, object, bool]:
    """Run a thread; its result tells whether a ``return`` of the source ended it."""
    last = yield from _walk(Frame(function, thread, ()), args)
    return last.loc.line in function.return_lines


def call(
    function: TypedFunction, args: list[object], thread: Thread, site: tuple[object, ...] = ()
) -> Steps:
    """Run a device function; yields wherever the thread has to wait."""
    frame = Frame(function, thread, site)
    last = yield from _walk(frame, args)
    return cast(frame[last.value], function.return_type)


def _walk(frame: Frame, args: list[object]) -> Steps:
    label = frame.function.entry
    while True:
        block = frame.function.blocks[label]
        for statement in block.body[:-1]:
            value = getattr(statement, "value", None)
            if getattr(value, "op", "") == "call":
                result = yield from _call(value, frame, statement.loc.line)
                _assign(statement.target, result, frame)
            else:
                _run(statement, frame, args)
        frame.thread.steps_left -= len(block.body)
        last = block.terminator
        if frame.thread.steps_left < 0:
            raise SpinsForeverError(last.loc.line)
        kind = type(last).__name__
        if kind == "Return":
            return last
        if kind == "Branch":
            label = last.truebr if frame[last.cond] else last.falsebr
        else:
            label = last.target


def _assign(target: object, value: object, frame: Frame) -> None:
    name = target.name
    dtype = frame.function.dtypes.get(name)
    if value is None:
        pass
    elif dtype is None:
        value = cast(value, frame.function.types.get(name))
    elif getattr(value, "dtype", None) is not dtype:
        value = as_number(value).astype(dtype)
    frame.values[name] = value


def _run(statement: object, frame: Frame, args: list[object]) -> None:
    kind = type(statement).__name__
    if kind == "Assign":
        _assign(statement.target, _value(statement.value, frame, args, statement.loc.line), frame)
    elif kind in ("SetItem", "StaticSetItem"):
        _set_item(statement, frame)
    elif kind != "Del":
        raise NotImplementedError(f"{kind} at line {statement.loc.line}")


def _value(value: object, frame: Frame, args: list[object], line: int) -> object:
    kind = type(value).__name__
    if kind == "Var":
        return frame[value]
    if kind == "Const":
        return value.value
    if kind in ("Global", "FreeVar"):
        constant = value.value
        return View(Memory(constant), constant) if isinstance(constant, np.ndarray) else constant
    if kind == "Arg":
        return args[value.index]
    return _EXPRESSIONS[value.op](value, frame, line)


def _set_item(statement: object, frame: Frame) -> None:
    view = frame[statement.target]
    index, literal = _index(statement, frame)
    value = cast(frame[statement.value], frame.function.types[statement.value.name])
    dtype = view.array.dtype
    value = np.asarray(value).astype(dtype)[()]
    store(view, index, value, frame.thread, statement.loc.line, literal=literal)


def _get_item(expression: object, frame: Frame, line: int) -> object:
    container = frame[expression.value]
    index, literal = _index(expression, frame)
    if isinstance(container, View):
        return load(container, index, frame.thread, line, literal=literal)
    return container[index if isinstance(index, slice) else int(index)]


def _index(node: object, frame: Frame) -> tuple[object, tuple[bool, ...]]:
    """The index, and for each of its parts whether it is written out in the source."""
    is_static = (
        type(node).__name__ == "StaticSetItem" or getattr(node, "op", "") == "static_getitem"
    )
    variable = node.index_var if is_static else node.index
    if variable is None:
        return node.index, (True,) * 3
    kind = frame.function.types[variable.name]
    parts = kind.types if isinstance(kind, types.BaseTuple) else (kind,)
    return frame[variable], tuple(isinstance(k, types.Literal) for k in parts)


def _call(expression: object, frame: Frame, line: int) -> Steps:
    callee = frame[expression.func]
    signature = frame.function.signatures[expression]
    args = [frame[v] for v in expression.args]
    named = {name: frame[v] for name, v in expression.kws}
    thread = frame.thread
    site = (*frame.site, expression)
    if isinstance(callee, dispatcher.CUDADispatcher):
        return (yield from _call_device(callee, args, named, signature, thread, site))
    name = intrinsics.NAMES.get(id(callee), "")
    if name in intrinsics.SUSPENDING:
        args = [*args, *named.values()]
        return (yield from intrinsics.SUSPENDING[name](site, line, *args))
    if name.endswith(".array"):
        args += [named[k] for k in ("shape", "dtype") if k in named]
        where = (frame.function, expression)
        return intrinsics.array_for(name, args, frame.arrays, thread, where)
    if name.startswith(("atomic.", "threadfence")):
        yield Request("turn", site, line)
    if name.startswith("atomic."):
        return intrinsics.atomic(name.removeprefix("atomic."), args, thread, line)
    if name:
        typed = [cast(a, k) for a, k in zip(args, signature.args, strict=True)]
        return intrinsics.PLAIN[name](thread, *typed)
    return _call_scalar(callee, args, expression, frame)


def _call_scalar(callee: object, args: list[object], expression: object, frame: Frame) -> object:
    signature = frame.function.signatures[expression]
    if intrinsics.is_conversion(frame.function.types[expression.func.name]):
        return cast(args[0], signature.return_type)
    if isinstance(callee, _Method):
        callee, args = callee.function, [callee.owner]
    if callee in (enumerate, zip, sum, min, max):
        args = [_elements(a, frame, expression.loc.line) for a in args]
    if callee in intrinsics.BUILTINS:
        return intrinsics.BUILTINS[callee](signature, *args)
    typed = [cast(a, k) for a, k in zip(args, signature.args, strict=True)]
    return intrinsics.MATHEMATICS[callee](*typed)


def _call_device(
    callee: object,
    args: list[object],
    named: dict[str, object],
    signature: object,
    thread: Thread,
    site: tuple[object, ...],
) -> Steps:
    bound = inspect.signature(callee.py_func).bind(*args, **named)
    bound.apply_defaults()
    typed = [cast(a, k) for a, k in zip(bound.args, signature.args, strict=True)]
    function = infer_types(callee.py_func, tuple(signature.args))
    return (yield from call(function, typed, thread, site))


def _attribute(expression: object, frame: Frame, line: int) -> object:
    owner, name = frame[expression.value], expression.attr
    thread = frame.thread
    if isinstance(owner, View):
        if name == "sum":
            return _Method(owner, sum)
        return getattr(owner.array, name) if name != "T" else View(owner.memory, owner.array.T)
    if isinstance(owner, _Dim3):
        return owner.values["xyz".index(name)]
    known = {
        "threadIdx": thread.index,
        "blockIdx": thread.block.index,
        "blockDim": thread.block_dim,
        "gridDim": thread.grid_dim,
    }
    if inspect.ismodule(owner) and owner.__name__ == "numba.cuda":
        if name in known:
            return _Dim3(known[name])
        if name in ("laneid", "warpsize"):
            return thread.lane if name == "laneid" else 32
    return getattr(owner, name)


@dataclass(frozen=True)
class _Method:
    """A method of an array that does what a builtin does."""

    owner: View
    function: Callable[..., object]


@dataclass(frozen=True)
class _Dim3:
    values: tuple[int, int, int]


def _iterator(expression: object, frame: Frame, line: int) -> Iterator[object]:
    return iter(_elements(frame[expression.value], frame, line))


def _elements(source: object, frame: Frame, line: int) -> Iterable[object]:
    """An array's elements, each read when its turn comes; anything else as it is."""
    if not isinstance(source, View):
        return source
    count = source.array.shape[0]
    return (load(source, i, frame.thread, line, literal=(True,)) for i in range(count))


def _next(expression: object, frame: Frame, line: int) -> tuple[object, np.bool_]:
    for value in frame[expression.value]:
        return value, np.bool_(True)
    return None, np.bool_(False)


def _binary(expression: object, frame: Frame, line: int) -> object:
    fn = expression.fn if expression.op == "binop" else expression.immutable_fn
    signature = frame.function.signatures[expression]
    return binary(fn, frame[expression.lhs], frame[expression.rhs], signature)


def _unary(expression: object, frame: Frame, line: int) -> object:
    signature = frame.function.signatures[expression]
    return unary(expression.fn, frame[expression.value], signature)


_EXPRESSIONS: dict[str, Callable[[object, Frame, int], object]] = {
    "binop": _binary,
    "inplace_binop": _binary,
    "unary": _unary,
    "getitem": _get_item,
    "static_getitem": _get_item,
    "getattr": _attribute,
    "build_tuple": lambda e, frame, line: tuple(frame[v] for v in e.items),
    "exhaust_iter": lambda e, frame, line: tuple(frame[e.value]),
    "getiter": _iterator,
    "iternext": _next,
    "pair_first": lambda e, frame, line: frame[e.value][0],
    "pair_second": lambda e, frame, line: frame[e.value][1],
    "cast": lambda e, frame, line: frame[e.value],
    "null": lambda e, frame, line: None,
}
