"""``RawModule``: kernels of one source, and the memory that they share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.arrays.errors import DeviceArrayTypeError, DeviceArrayValueError, NotInStandInError
from gpuedu.arrays.kernels.raw import RawKernel, module_number, require_kind, require_plain
from gpuedu.arrays.memory import MemoryPointer
from gpuedu.arrays.ndarray import ndarray
from gpuedu.simt.cuda_c import CudaCKernel, signature
from gpuedu.simt.cuda_c.compile import require_valid
from gpuedu.simt.cuda_c.memory import module_memory
from gpuedu.simt.cuda_c.module import Module
from gpuedu.simt.cuda_c.outline import read_module


class RawModule:
    """Several kernels of one source, and the memory that they share.

    Args:
        code: The source.
        options: Options of the compiler.
        name_expressions: Names of template instances, such as ``("scale<float>",)``; these need no
            ``extern "C"``.

    >>> from gpuedu.arrays import cupy as cp
    >>> module = cp.RawModule(code='''
    ... template <typename T> __global__ void square(T* x) { x[threadIdx.x] *= x[threadIdx.x]; }
    ... ''', name_expressions=["square<int>"])
    >>> x = cp.arange(4, dtype=cp.int32)
    >>> module.get_function("square<int>")((1,), (4,), (x,))
    >>> x
    array([0, 1, 4, 9], dtype=int32)
    """

    def __init__(
        self,
        *,
        code: str | None = None,
        path: str | None = None,
        options: tuple[str, ...] = (),
        backend: str = "nvrtc",
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        name_expressions: Sequence[str] | None = None,
        jitify: bool | None = False,
    ) -> None:
        if (code is None) == (path is None):
            raise DeviceArrayTypeError(
                "Exactly one of `code` and `path` keyword arguments must be given."
            )
        if path is not None:
            raise NotInStandInError(
                "a compiled module cannot be loaded here", remedy="give its source as `code`"
            )
        require_kind("code", code, str)
        require_kind("options", options, tuple)
        if name_expressions is not None and backend != "nvrtc":
            raise DeviceArrayValueError(
                "only nvrtc supports retrieving the mangled names for the given name expressions"
            )
        require_plain(translate_cucomplex, jitify)
        self.code, self.options, self.backend = code, options, backend
        self.name_expressions = None if name_expressions is None else tuple(name_expressions)
        self.file_path = None
        self.enable_cooperative_groups = bool(enable_cooperative_groups)

    def get_function(self, name: str) -> RawKernel:
        """A kernel by its name, or by one of the name expressions."""
        expressions = self.name_expressions or ()
        if "<" in name and name not in expressions:
            raise DeviceArrayValueError(
                f"`{name}` is not one of the name expressions",
                remedy=f"RawModule(code=..., name_expressions=[{name!r}])",
            )
        made = RawKernel.__new__(RawKernel)
        made._setup(self.code, name, self.options, self.backend, self.name_expressions)
        made.enable_cooperative_groups = self.enable_cooperative_groups
        require_valid(made._source)
        signature(made._source)
        return made

    def get_global(self, name: str) -> MemoryPointer:
        """The memory of a ``__device__`` or ``__constant__`` variable."""
        known = module_memory(self._module)
        if name not in known:
            listed = ", ".join(f"`{other}`" for other in known) or "none"
            raise DeviceArrayValueError(
                f"the module has no variable `{name}`", remedy=f"its variables: {listed}"
            )
        return ndarray.on_view(known[name][0]).data

    def compile(self, log_stream: Any = None) -> None:
        """Compile now: the name expressions, or all kernels that are not templates."""
        for name in self.name_expressions or self._plain_kernels():
            self.get_function(name).compile()

    def _plain_kernels(self) -> list[str]:
        functions = self._module.functions
        return [name for name in self._module.kernels if not functions[name][0].template]

    @property
    def _module(self) -> Module:
        number = module_number(self.code, self.options, self.name_expressions)
        return read_module(self.code, CudaCKernel(self.code, "", self.options).defines, number)

    def __repr__(self) -> str:
        return "<RawModule>"
