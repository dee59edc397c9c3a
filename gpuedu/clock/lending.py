"""Lend the stand-ins of a virtual clock to code that was written for the real modules."""

from __future__ import annotations

import builtins
import concurrent.futures
import contextlib
import importlib
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

from gpuedu.clock.standins import futures, queues, threads, times

_PAIRS = {
    "threading": (threading, threads),
    "queue": (queue, queues),
    "time": (time, times),
    "concurrent.futures": (concurrent.futures, futures),
}


class StandIn(ModuleType):
    """A module that lists what it has when it is asked for something else."""

    def __init__(self, name: str, module: ModuleType) -> None:
        super().__init__(name, f"What stands in for {name!r} on the simulated clock.")
        self.__all__ = list(module.__all__)
        for public in module.__all__:
            setattr(self, public, getattr(module, public))

    def __getattr__(self, missing: str) -> Any:
        if missing.startswith("__"):
            raise AttributeError(missing)
        offered = ", ".join(self.__all__)
        raise AttributeError(
            f"on the simulated clock `{self.__name__}` has no {missing!r}; it has {offered}"
        )


_MODULES = {name: StandIn(name, standin) for name, (_, standin) in _PAIRS.items()}
AFAR = "lend_afar"
"""For a stand-in of a function in another process: a context that lends to that function there."""
LEFT_AFAR = "leave_afar"
"""For a stand-in of an object in another process: nothing here needs that object any longer."""
_CONCURRENT = ModuleType("concurrent")
_CONCURRENT.futures = _MODULES["concurrent.futures"]
_SWAPS: dict[int, Any] = {id(sys.modules["concurrent"]): _CONCURRENT}
for _name, (_real, _standin) in _PAIRS.items():
    _SWAPS[id(_real)] = _MODULES[_name]
    for _public in _standin.__all__:
        _original = getattr(_real, _public)
        if _original is not getattr(_standin, _public):
            _SWAPS[id(_original)] = getattr(_standin, _public)


@contextlib.contextmanager
def lend(*answers: Any) -> Iterator[None]:
    """Make the code of ``answers`` use the virtual ``threading``, ``queue``, ``time`` and futures.

    While the block runs, the names of the namespace in which each function or class was written
    that refer to a real module, or something in one (``from queue import Queue``), refer to the
    stand-in; so do imports inside the code, and classes of that namespace that derive from
    ``Thread`` or ``Queue``. Nothing else in the process sees a difference. What the code made with
    the real ones before the block stays real. For a function in another process, its stand-in here
    has a method ``lend_afar``, which does the same there.

    >>> from gpuedu.clock import VirtualClock
    >>> def nap():
    ...     import time
    ...     time.sleep(3600)
    ...     return time.perf_counter()
    >>> with VirtualClock(), lend(nap):
    ...     nap()
    3600.0
    """
    here = [one for one in answers if not hasattr(one, AFAR)]
    spaces = {id(space): space for space in map(_namespace, here)}
    with contextlib.ExitStack() as undo:
        for one in answers:
            if one not in here:
                undo.enter_context(getattr(one, AFAR)())
        for space in spaces.values():
            for name, value in list(space.items()):
                if id(value) in _SWAPS:
                    undo.callback(space.__setitem__, name, value)
                    space[name] = _SWAPS[id(value)]
                elif isinstance(value, type) and any(
                    id(base) in _SWAPS for base in value.__bases__
                ):
                    undo.callback(setattr, value, "__bases__", value.__bases__)
                    value.__bases__ = tuple(_SWAPS.get(id(one), one) for one in value.__bases__)
        undo.callback(setattr, builtins, "__import__", builtins.__import__)
        builtins.__import__ = _importer(builtins.__import__, set(spaces))
        yield


def let_go(thing: Any) -> None:
    """Let an object in another process die there, once the caller holds the last reference here."""
    if hasattr(thing, LEFT_AFAR):
        getattr(thing, LEFT_AFAR)()


def _importer(original: Callable[..., Any], spaces: set[int]) -> Callable[..., Any]:
    """``__import__`` that hands stand-ins to code of these namespaces, and only to it."""

    def load(
        name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        module = original(name, globals, locals, fromlist, level)
        if level or globals is None or id(globals) not in spaces:
            return module
        return _SWAPS.get(id(module), module)

    return load


def _namespace(answer: Any) -> dict[str, Any]:
    """The globals of the code of a function, a method, a class or an object of one."""
    answer = getattr(answer, "__func__", answer)
    if isinstance(answer, FunctionType):
        return answer.__globals__
    kind = answer if isinstance(answer, type) else type(answer)
    for member in vars(kind).values():
        if isinstance(member, FunctionType):
            return member.__globals__
    return vars(importlib.import_module(kind.__module__))
