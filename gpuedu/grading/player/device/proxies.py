"""What a learner's code gets in place of things on the device.

A class for each class of ``gpuedu.arrays``, with its names: what is known along with a thing is
answered here, the rest is asked for.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.arrays import operators
from gpuedu.arrays.device import Device
from gpuedu.arrays.flags import Flags
from gpuedu.arrays.ndarray import ndarray
from gpuedu.grading.player.device.link import Link
from gpuedu.grading.player.device.names import OF_CLOCK, SETTABLE, attributes, classes

_BORROWED = ("__array__", "__len__", "__iter__", "__copy__", "__deepcopy__")
"""Methods of arrays that need nothing but what a proxy has, too."""
_PATHS = {
    **{name: f"cuda.{name}" for name in ("MemoryPool", "MemoryPointer")},
    **{name: f"random.{name}" for name in ("RandomState", "Generator")},
}


def proxy_classes(link: Link) -> dict[str, type]:
    """A class of proxies for each class of things, by name."""
    made = {name: _proxy_class(link, kind) for name, kind in classes().items()}
    _complete_arrays(link, made["ndarray"])
    _complete_kernels(made)
    manager = made["_GeneratorContextManager"]
    leave = manager.__exit__
    manager.__exit__ = lambda self, *_fault: leave(self, None, None, None)
    return made


def _proxy_class(link: Link, kind: type) -> type:
    """Names of ``kind`` that may be asked for, as methods and properties that ask for them."""

    def make(_cls: type, *args: Any, **kwargs: Any) -> Any:
        return link.call(_PATHS.get(kind.__name__, kind.__name__), "", args, kwargs)

    def end(self: Any) -> None:
        link.let_go(self._link_number, self._link_times)

    def tell(self: Any) -> list:
        return ["thing", self._link_number]

    def missing(self: Any, name: str) -> Any:
        own = inspect.getattr_static(kind, "__getattr__", None)
        if own is None or kind.__name__ == "RawKernel":
            raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}")
        return own(self, name)

    inside = {"__new__": make, "__del__": end, "told_to_device": tell, "__getattr__": missing}
    for name in attributes(kind.__name__):
        inside[name] = _attribute(link, kind, name)
    inside |= {
        "__module__": kind.__module__,
        "__doc__": kind.__doc__,
        "__qualname__": kind.__name__,
    }
    if kind.__name__ in OF_CLOCK:
        inside |= {"__class__": property(lambda self: kind)}  # `isinstance` asks for it
        inside |= {"__hash__": None} if kind.__hash__ is None else {}
    return type(kind.__name__, (), inside)


def _attribute(link: Link, kind: type, name: str) -> Any:
    thing = inspect.getattr_static(kind, name, None)
    if isinstance(thing, types.FunctionType) or _is_operator(name):
        return _method(link, name, thing)

    def read(self: Any) -> Any:
        return link.get(self._link_number, name)

    def write(self: Any, value: Any) -> None:
        link.set(self._link_number, name, value)

    return property(read, write if kind is ndarray and name in SETTABLE else None)


def _is_operator(name: str) -> bool:
    return name.startswith("__")


def _method(link: Link, name: str, local: Any) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return link.call(self._link_number, name, args, kwargs)

    return functools.wraps(local)(method) if isinstance(local, types.FunctionType) else method


def _complete_arrays(link: Link, kind: Any) -> None:
    """What arrays have besides: facts that are known, and the operators' manners."""
    facts: dict[str, Callable[[list], Any]] = {
        "dtype": lambda parts: np.dtype(parts[1]),
        "strides": lambda parts: tuple(parts[2]),
        "flags": lambda parts: Flags(*parts[3]),
        "ndim": lambda parts: len(parts[0]),
    }
    for name, of in facts.items():
        setattr(kind, name, property(lambda self, of=of: of(self._link_facts)))

    def reshape_in_place(self: Any, shape: Any) -> None:
        link.set(self._link_number, "shape", shape)

    kind.shape = property(lambda self: tuple(self._link_facts[0]), reshape_in_place)
    for name in ("size", "itemsize", "nbytes"):
        own = inspect.getattr_static(ndarray, name)
        setattr(kind, name, property(own.fget) if name != "size" else property(_size))
    kind.device = property(lambda self: Device(0))
    for name in _BORROWED:
        setattr(kind, name, inspect.getattr_static(ndarray, name))
    kind.__array_priority__, kind.__hash__ = ndarray.__array_priority__, None
    kind.__pos__ = lambda self: self
    kind.__array_function__ = _numpys_function(link)
    for name in operators.read("lists.toml")["operators"]:
        setattr(kind, f"__{name}__", _left(getattr(kind, f"__{name}__")))
    for name in operators.read("lists.toml")["comparisons"]:
        setattr(kind, f"__{name}__", _left(getattr(kind, f"__{name}__")))


def _size(self: Any) -> int:
    count = 1
    for extent in self.shape:
        count *= extent
    return count


def _left(method: Callable[..., Any]) -> Callable[..., Any]:
    """An operator that leaves its work to an operand which wants to do it itself."""

    def operator(self: Any, other: Any) -> Any:
        return NotImplemented if operators.leaves_it(other) else method(self, other)

    return operator


def _numpys_function(link: Link) -> Callable[..., Any]:
    """NumPy's protocol, as arrays have it: ``np.std(a)`` is ``cp.std(a)``."""

    def protocol(self: Any, function: Any, kinds: Any, args: tuple, kwargs: dict) -> Any:
        where: Any = link.library
        try:
            for part in function.__module__.split(".")[1:]:
                where = getattr(where, part)
            ours = getattr(where, function.__name__)
        except (AttributeError, NotImplementedError):
            return NotImplemented
        known = all(issubclass(kind, (type(self), np.ndarray)) for kind in kinds)
        return NotImplemented if ours is function or not known else ours(*args, **kwargs)

    return protocol


def _complete_kernels(made: dict[str, type]) -> None:
    """What is in the text of a kernel may be looked at without its ``last_trace``."""
    for name in ("ElementwiseKernel", "ReductionKernel", "RawKernel"):
        made[name].last_trace = None
