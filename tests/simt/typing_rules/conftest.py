"""Numba's own type inference, to compare the rules with. It needs neither a GPU nor a driver."""

from __future__ import annotations

import builtins
import cmath
import importlib
import math
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest

from gpuedu.simt.typing_rules import SCALARS, Signature

CAPABILITY = (9, 0)


class Inference:
    """What numba-cuda infers: of one operation, or of every variable of a kernel's source."""

    def __init__(self) -> None:
        from cuda.bindings.nvvm import nvvmError
        from numba import cuda
        from numba.core.errors import NumbaError
        from numba.cuda import compiler, types
        from numba.cuda.descriptor import cuda_target

        self.cuda, self.types, self._compiler = cuda, types, compiler
        # Typing refuses with NumbaError; the compiler behind it, where it was not asked to first,
        # with whatever comes up.
        self.refusals = (NumbaError, NotImplementedError, KeyError, TypeError, ValueError)
        self._compiler_refusals = (*self.refusals, nvvmError)
        self._context = cuda_target.typing_context
        self._context.refresh()
        cuda_target.target_context.refresh()
        self._by_dtype = {dtype: getattr(types, str(dtype)) for dtype in SCALARS}
        self._by_type = {kind: dtype for dtype, kind in self._by_dtype.items()}

    def numba(self, dtype: np.dtype):
        """Numba's type of a dtype."""
        return self._by_dtype[dtype]

    def dtype(self, kind) -> np.dtype | tuple[np.dtype, ...]:
        """The dtype of one of Numba's types; a tuple of them for a tuple."""
        kind = self.types.unliteral(kind)
        if isinstance(kind, self.types.BaseTuple):
            return tuple(self.dtype(part) for part in kind)
        return self._by_type[kind]

    def cost(self, source: np.dtype, target: np.dtype) -> str | None:
        """Name of the conversion that Numba sees from ``source`` to ``target``."""
        conversion = self._context.can_convert(self.numba(source), self.numba(target))
        return None if conversion is None else conversion.name

    def unify(self, *dtypes: np.dtype) -> np.dtype:
        """The type that Numba gives to a variable with these types."""
        return self.dtype(self._context.unify_types(*map(self.numba, dtypes)))

    def infer(self, function, dtypes: tuple[np.dtype, ...]) -> Signature | None:
        """What Numba types ``function``, an object or a name, of these arguments as."""
        arguments = tuple(map(self.numba, dtypes))
        try:
            found = self._typed(function).get_call_type(self._context, arguments, {})
        except self.refusals:
            return None
        if found is None:
            return None
        return Signature(tuple(map(self.dtype, found.args)), self.dtype(found.return_type))

    def _typed(self, function):
        if not isinstance(function, str):
            return self._context.resolve_value_type(function)
        home, _, name = function.rpartition(".")
        if home in ("cuda", "cuda.fp16", "cuda.atomic"):
            kind = self.types.Module(self.cuda)
            for part in function.split(".")[1:]:
                kind = self._context.resolve_getattr(kind, part)
            return kind
        if home == "cuda.libdevice":
            home = "numba.cuda.libdevice"
        found = getattr(importlib.import_module(home) if home else builtins, name)
        return self._context.resolve_value_type(found)

    def compiled(self, source: str, arguments: tuple, **names) -> dict[str, np.dtype]:
        """Compile the kernel ``k`` of ``source`` and give the types of its variables."""
        with self._without_a_device():
            result = self._compiler.compile_cuda(
                self._function(source, names),
                self.types.void,
                tuple(self._argument(argument) for argument in arguments),
                debug=False,
                lineinfo=False,
                inline="never",
                cc=CAPABILITY,
            )
        return dict(result.type_annotation.typemap)

    def is_compiled(self, source: str, arguments: tuple, **names) -> bool:
        """Whether the kernel ``k`` of ``source`` comes through the whole compiler, to PTX."""
        signature = self.types.void(*(self._argument(argument) for argument in arguments))
        with self._without_a_device():
            try:
                self._compiler.compile_ptx(self._function(source, names), signature, cc=CAPABILITY)
            except self._compiler_refusals:
                return False
        return True

    @contextmanager
    def _without_a_device(self):
        """Numba asks for the current device where a kernel calls a function written in Python."""
        device = SimpleNamespace(compute_capability=CAPABILITY)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("numba.cuda.dispatcher.get_current_device", lambda: device)
            yield

    def _argument(self, argument):
        return self.numba(argument) if isinstance(argument, np.dtype) else argument

    def _function(self, source: str, names: dict):
        scope = {"cuda": self.cuda, "math": math, "cmath": cmath, "np": np, **names}
        exec(source, scope)
        return scope["k"]


@pytest.fixture(scope="session")
def inference() -> Inference:
    """numba-cuda's inference; tests that need it are skipped where it is not installed."""
    pytest.importorskip("numba_cuda")
    return Inference()
