"""The names that mean something only inside a kernel: ``cuda.grid``, ``cuda.atomic.add``, ...

A stub has a dotted name, by which the front end knows it, and raises when the host calls it.
"""

from __future__ import annotations

from typing import Any, NoReturn

from gpuedu.simt.host.errors import OutsideKernelError

_AXES = ("x", "y", "z")
_FUNCTIONS = """
    grid gridsize syncthreads syncthreads_count syncthreads_and syncthreads_or syncwarp
    shfl_sync shfl_up_sync shfl_down_sync shfl_xor_sync all_sync any_sync eq_sync ballot_sync
    match_any_sync match_all_sync activemask lanemask_lt laneid
    threadfence threadfence_block threadfence_system
    selp popc brev clz ffs fma cbrt nanosleep literal_unroll
    ldca ldcg ldcs ldlu ldcv stcg stcs stwb stwt
"""
_ATOMICS = """
    add sub and_ or_ xor inc dec exch max min nanmax nanmin compare_and_swap cas
"""
_HALVES = """
    habs hadd hceil hcos hdiv heq hexp hexp10 hexp2 hfloor hfma hge hgt hle hlog hlog10 hlog2 hlt
    hmax hmin hmul hne hneg hrcp hrint hrsqrt hsin hsqrt hsub htanh htanh_approx htrunc
"""
_DRAWS = """
    xoroshiro128p_uniform_float32 xoroshiro128p_uniform_float64
    xoroshiro128p_normal_float32 xoroshiro128p_normal_float64
    xoroshiro128p_next xoroshiro128p_jump
"""
_VECTOR_KINDS = {
    "int8": "char",
    "int16": "short",
    "int32": "int",
    "int64": "long",
    "uint8": "uchar",
    "uint16": "ushort",
    "uint32": "uint",
    "uint64": "ulong",
    "float32": "float",
    "float64": "double",
}
_ALSO_LONG = {"int64": "longlong", "uint64": "ulonglong"}


class Stub:
    """An object that stands for ``name`` in a kernel's source.

    >>> Stub("cuda.threadIdx", {"x": Stub("cuda.threadIdx.x")}).x
    <cuda.threadIdx.x: for kernels only>
    """

    def __init__(self, name: str, parts: dict[str, Any] | None = None) -> None:
        self.dotted_name = name
        self.__name__ = name.rpartition(".")[2]
        self.__doc__ = f"`{name}`, which means something inside a kernel only."
        vars(self).update(parts or {})

    def __repr__(self) -> str:
        return f"<{self.dotted_name}: for kernels only>"

    def __call__(self, *_arguments: Any, **_named: Any) -> NoReturn:
        """Refuse: OutsideKernelError."""
        raise OutsideKernelError(
            f"`{self.dotted_name}` was called on the host",
            remedy="call it inside a function under @cuda.jit, and launch that",
        )


def in_kernel_names() -> dict[str, Any]:
    """Every in-kernel name of ``cuda``, by name: functions, indices and small namespaces."""
    names: dict[str, Any] = {name: Stub(f"cuda.{name}") for name in _FUNCTIONS.split()}
    for name in ("threadIdx", "blockIdx", "blockDim", "gridDim"):
        names[name] = _namespace(f"cuda.{name}", "x y z")
    names["atomic"] = _namespace("cuda.atomic", _ATOMICS)
    names["shared"] = _namespace("cuda.shared", "array")
    names["local"] = _namespace("cuda.local", "array")
    names["const"] = _namespace("cuda.const", "array_like")
    names["fp16"] = _namespace("cuda.fp16", _HALVES)
    names["libdevice"] = LibdeviceStub("cuda.libdevice")
    names["cg"] = _namespace("cuda.cg", "this_grid")
    return names | vector_types()


GRID = Stub("cuda.cg.GridGroup", {"sync": Stub("cuda.cg.GridGroup.sync")})
"""What ``cuda.cg.this_grid()`` gives in a kernel."""


def _namespace(name: str, parts: str) -> Stub:
    """A stub whose attributes are stubs."""
    return Stub(name, {part: Stub(f"{name}.{part}") for part in parts.split()})


def random_draws() -> dict[str, Stub]:
    """The device functions of ``cuda.random``."""
    return {name: Stub(f"cuda.random.{name}") for name in _DRAWS.split()}


def vector_types() -> dict[str, Stub]:
    """``cuda.float32x4`` and the like, also under CUDA C's names (``cuda.float4``)."""
    found: dict[str, Stub] = {}
    for kind, alias in _VECTOR_KINDS.items():
        for width in range(1, 5):
            stub = Stub(f"cuda.{kind}x{width}")
            found[f"{kind}x{width}"] = found[f"{alias}{width}"] = stub
            if kind in _ALSO_LONG:
                found[f"{_ALSO_LONG[kind]}{width}"] = stub
    return found


class LibdeviceStub(Stub):
    """``cuda.libdevice``: any name is a function; the front end says which it knows."""

    def __getattr__(self, name: str) -> Stub:
        if name.startswith("_"):
            raise AttributeError(name)
        return vars(self).setdefault(name, Stub(f"{self.dotted_name}.{name}"))
