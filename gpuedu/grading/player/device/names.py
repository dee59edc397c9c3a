"""What may be asked of the device by name, and where it is found.

Nothing that begins with an underscore, except for the listed operators; nothing that opens a file
or takes an address in the host's memory. The learner's functions are called back by the few listed
functions, and stay in the learner's process.
"""

from __future__ import annotations

import inspect
import types
from functools import cache
from importlib import import_module
from typing import Any

from gpuedu import clock
from gpuedu.arrays.lists import cupy_names, read
from gpuedu.errors import AnswerError
from gpuedu.grading.player.device.lent import Lent, LentIterator

MODULES = {
    "": "gpuedu.arrays.cupy",
    "fft": "gpuedu.arrays.fft",
    "linalg": "gpuedu.arrays.linalg",
    "random": "gpuedu.arrays.random",
    "testing": "gpuedu.arrays.testing",
    "cuda": "gpuedu.arrays.cuda",
    "cuda.memory": "gpuedu.arrays.cuda.memory",
    "cupyx": "gpuedu.arrays.cupyx",
}
"""Modules of the device, by their names after ``cp.``; ``cupyx`` is separate."""
LOCAL = {name: import_module(path) for name, path in MODULES.items()}
"""This process's own, whatever ``import`` returns later; the import completes the arrays."""

CALLS_BACK = frozenset({"fuse", "apply_along_axis", "apply_over_axes"})
"""Functions that call one of the learner's functions."""

ALLOCATING = frozenset(
    f"{module}.{name}"
    for module in ("cuda", "cuda.memory")
    for name in ("set_allocator", "using_allocator")
)
"""Functions that say where memory comes from."""

_HOSTS = """
load save savez fromfile frombuffer fromfunction fromiter genfromtxt loadtxt memoize clear_memo
get_array_module is_available ndim shape size iterable get_default_pinned_memory_pool
"""
_ON_THE_HOST = frozenset(_HOSTS.split())
_MEMORYS = "MemoryPool MemoryPointer alloc set_allocator get_allocator using_allocator"
_OF_CUDA = frozenset(_MEMORYS.split())
_OF_CUPYX = frozenset({"rsqrt"})
_PARTS = frozenset({"reduce", "accumulate", "reduceat", "outer", "at", "__getitem__"})
"""What a function has besides its call: that of ufuncs, and the brackets of ``cp.r_``."""


def is_remote(module: str, name: str) -> bool:
    """Whether a module's name is looked up on the device and not on the host.

    >>> is_remote("", "exp"), is_remote("", "load"), is_remote("", "float32")
    (True, False, False)
    """
    if name.startswith("_") or name in _ON_THE_HOST or module not in MODULES:
        return False
    if module in ("cuda", "cuda.memory"):
        return name in _OF_CUDA
    if module == "cupyx":
        return name in _OF_CUPYX
    if name not in cupy_names(f"cupy.{module}".removesuffix(".")):
        return False
    try:
        thing = getattr(LOCAL[module], name)
    except (AttributeError, NotImplementedError):
        return False
    return not isinstance(thing, types.ModuleType) and callable_of_device(thing)


def callable_of_device(thing: Any) -> bool:
    """Whether it is a function or class of gpuedu's arrays, not one of NumPy's own."""
    owner = thing if isinstance(thing, (type, types.FunctionType)) else type(thing)
    is_ours = str(getattr(owner, "__module__", "")).startswith("gpuedu.arrays")
    return is_ours and (callable(thing) or hasattr(type(thing), "__getitem__"))


def find(path: str, part: str = "") -> Any:
    """What a message calls by a path such as ``linalg.norm``.

    Raises:
        AnswerError: it is not allowed.
    """
    module, _, name = path.rpartition(".")
    if not is_remote(module, name) or (part and part not in _PARTS):
        raise AnswerError(f"`cp.{path}` cannot be used when a class is graded"[:200])
    found = getattr(LOCAL[module], name)
    return getattr(found, part) if part else found


_READ = "bool int float complex format repr str"
_KERNEL = """
    code name options backend operation preamble map_expr reduce_expr post_map_expr identity
    reduce_type reduce_dims no_return return_tuple nin nout nargs compile attributes file_path
    enable_cooperative_groups max_dynamic_shared_size_bytes
"""
_ATTRIBUTES = {
    "MemoryPointer": """
        ptr mem device_id memset memset_async copy_from_device copy_from_device_async __int__
        __add__ __sub__ __repr__
    """,
    "Memory": "ptr size device_id",
    "ElementwiseKernel": f"{_KERNEL} __call__ __repr__",
    "ReductionKernel": f"{_KERNEL} __call__ __repr__",
    "RawKernel": f"{_KERNEL} __call__ __repr__",
    "RawModule": """
        code options backend name_expressions file_path enable_cooperative_groups get_function
        get_global compile __repr__
    """,
    "Fusion": "name __call__ __repr__",
    "broadcast": "shape nd size values",
    "_GeneratorContextManager": "__enter__ __exit__",
    "Lent": "__call__",
    "LentIterator": "__iter__ __next__",
    "StreamDevice": "stream event buffer host_buffer copy launch synchronize default_stream",
    "Stream": "name wait_event synchronize",
    "StreamEvent": "record synchronize query",
    "Buffer": "name size_bytes place pinned write read __repr__",
    "Kernel": "name time_s __repr__",
    "GraphDevice": "CUDAGraph graph tensor where synchronize",
    "CUDAGraph": "replay",
    "DeviceTensor": """
        shape clone sum copy_ fill_ item tolist __add__ __radd__ __sub__ __mul__ __rmul__ __gt__
        __lt__ __bool__ __float__ __repr__
    """,
}
_BY_LIST = {
    "ndarray": "cupy.ndarray",
    "MemoryPool": "cupy.cuda.MemoryPool",
    "RandomState": "cupy.random.RandomState",
    "Generator": "cupy.random.Generator",
}
_NOT_OF_ARRAYS = frozenset(
    {"device", "dump", "dumps", "tofile", "flags", "shape", "dtype", "strides", "ndim", "size"}
)
"""Known with the array, or kept to the host."""
SETTABLE = frozenset({"shape", "real", "imag"})
OF_CLOCK: dict[str, type] = {
    name: getattr(clock, name)
    for name in (
        *("StreamDevice", "Stream", "StreamEvent", "Buffer", "Kernel"),
        *("GraphDevice", "CUDAGraph", "DeviceTensor"),
    )
}
"""What a play hands over that belongs to a simulated device."""


@cache
def classes() -> dict[str, type]:
    """The classes of what the device holds, by name."""
    places = {
        **dict.fromkeys(
            ("ElementwiseKernel", "ReductionKernel", "RawKernel", "RawModule"), "kernels"
        ),
        **dict.fromkeys(("MemoryPointer", "Memory", "MemoryPool"), "memory"),
        **dict.fromkeys(("RandomState", "Generator"), "random"),
        **{"ndarray": "ndarray", "Fusion": "fusion", "broadcast": "special"},
    }
    found = {
        name: getattr(import_module(f"gpuedu.arrays.{place}"), name)
        for name, place in places.items()
    }
    return (
        found
        | OF_CLOCK
        | {
            "_GeneratorContextManager": _context_manager(),
            "Lent": Lent,
            "LentIterator": LentIterator,
        }
    )


def class_name(value: Any) -> str | None:
    """The name of the class by which the device knows a thing; None for anything else.

    An exercise's own class that derives from one of these counts as that one.
    """
    known = classes()
    names = (one.__name__ for one in type(value).__mro__ if known.get(one.__name__) is one)
    return next(names, None)


def _context_manager() -> type:
    return type(import_module("gpuedu.arrays.cuda").using_allocator())


@cache
def attributes(name: str) -> frozenset[str]:
    """What may be asked of an object of a class, by the class's name."""
    if name in _ATTRIBUTES:
        return frozenset(_ATTRIBUTES[name].split())
    kind = classes()[name]
    listed = {one for one in cupy_names(_BY_LIST[name]) if inspect.getattr_static(kind, one, None)}
    if name != "ndarray":
        return frozenset(listed)
    return frozenset(listed - _NOT_OF_ARRAYS | operators() | {"base"})


@cache
def operators() -> frozenset[str]:
    """The operators and conversions of arrays that the device executes."""
    lists = read("lists.toml")
    binary = {f"__{how}{name}__" for name in lists["operators"] for how in ("", "r", "i")}
    compared = {f"__{name}__" for name in lists["comparisons"]}
    others = {
        f"__{name}__" for name in f"neg abs invert matmul rmatmul getitem setitem {_READ}".split()
    }
    return frozenset((binary | compared | others | {"__array_ufunc__"}) - {"__idivmod__"})
