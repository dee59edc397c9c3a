"""Numba's own front end and typing: a kernel's intermediate form with the type of every value.

The oracle interprets what numba-cuda itself would compile, so that neither parsing nor typing is
shared with the machine under test. No driver is needed.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import textwrap
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace

import numpy as np
from numba.core import errors as numba_errors
from numba.cuda import dispatcher, types
from numba.cuda.compiler import compile_cuda
from numba.cuda.core import errors as cuda_errors
from numba.cuda.errors import UnsupportedBytecodeError
from numba.cuda.typing.typeof import Purpose, typeof

COMPUTE_CAPABILITY = (9, 0)
REFUSALS = (
    numba_errors.NumbaError,
    cuda_errors.NumbaError,
    UnsupportedBytecodeError,
    NotImplementedError,
    AttributeError,
)


@dataclass(frozen=True, eq=False)
class TypedFunction:
    """A function in Numba's intermediate form: blocks by label, types by variable and by call."""

    name: str
    blocks: dict[int, object]
    entry: int
    types: dict[str, object]
    signatures: dict[object, object]
    return_type: object
    return_lines: frozenset[int]
    dtypes: dict[str, np.dtype | None]

    @property
    def is_consistent(self) -> bool:
        """Whether every variable has the type that the expression assigned to it has.

        Numba's inference lets a variable's type grow while it goes round a loop: one that was
        uint64 in a first guess and int64 in the next ends as float64, though no float is near.
        """
        for block in self.blocks.values():
            for s in block.body:
                signature = self.signatures.get(getattr(s, "value", None))
                if type(s).__name__ != "Assign" or signature is None:
                    continue
                own = self.dtypes.get(s.target.name)
                if own is not None and own != dtype_of(signature.return_type):
                    return False
        return True


def infer(function: Callable[..., object], *arguments: object) -> TypedFunction:
    """Type a kernel for NumPy arrays and numbers as the launch would.

    Raises:
        REFUSALS: Where Numba's CUDA target refuses the kernel (AttributeErrors among them: what is
            missing on this target).
    """
    function = getattr(function, "py_func", function)
    kinds = tuple(typeof(a, Purpose.argument) for a in arguments)
    return infer_types(function, kinds, types.void)


@cache
def infer_types(
    function: Callable[..., object], kinds: tuple[object, ...], result: object = None
) -> TypedFunction:
    """Type a kernel (``result`` void) or a device function (None: inferred)."""
    with _a_device(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = compile_cuda(function, result, kinds, cc=COMPUTE_CAPABILITY)
    note = compiled.type_annotation
    for block in note.blocks.values():
        block.body = [s for s in block.body if type(s).__name__ != "Del"]
    return TypedFunction(
        function.__name__,
        note.blocks,
        min(note.blocks),
        note.typemap,
        note.calltypes,
        compiled.signature.return_type,
        frozenset(_return_lines(function)),
        {name: dtype_of(kind) for name, kind in note.typemap.items()},
    )


def variable_types(function: Callable[..., object], *arguments: object) -> dict[str, set[str]]:
    """Types of the numeric variables of the source; SSA versions of a name are put together."""
    found: dict[str, set[str]] = {}
    for name, kind in infer(function, *arguments).types.items():
        plain = types.unliteral(kind)
        if not name.startswith(("$", "arg.")) and isinstance(plain, (types.Number, types.Boolean)):
            found.setdefault(name.split(".")[0], set()).add(str(plain))
    return found


@cache
def dtype_of(kind: object) -> np.dtype | None:
    """The NumPy dtype of a scalar type; None for anything else."""
    kind = types.unliteral(kind)
    if isinstance(kind, types.Boolean):
        return np.dtype(np.bool_)
    if isinstance(kind, (types.Integer, types.Float, types.Complex)):
        return np.dtype(str(kind))
    return None


def _return_lines(function: Callable[..., object]) -> Iterator[int]:
    lines, first = inspect.getsourcelines(function)
    for node in ast.walk(ast.parse(textwrap.dedent("".join(lines)))):
        if isinstance(node, ast.Return):
            yield first + node.lineno - 1


@contextlib.contextmanager
def _a_device() -> Iterator[None]:
    """Numba asks for the current device where a kernel calls a device function."""
    real = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=COMPUTE_CAPABILITY)
    try:
        yield
    finally:
        dispatcher.get_current_device = real
