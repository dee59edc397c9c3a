"""``cp`` in a learner's process: the module's names; those of the device are asked for."""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

import gpuedu
from gpuedu import arrays, backend
from gpuedu.arrays import fusion
from gpuedu.grading.player.channel import Channel
from gpuedu.grading.player.device.link import Link
from gpuedu.grading.player.device.names import CALLS_BACK, LOCAL, is_remote
from gpuedu.grading.player.device.proxies import proxy_classes

_FROM_HOST = ("frombuffer", "fromfile", "fromfunction", "fromiter", "genfromtxt", "loadtxt")


class RemoteFunction:
    """A function of the device; a ufunc with its methods, and ``cp.r_`` with its brackets."""

    def __init__(self, link: Link, path: str, local: Any, part: str = "") -> None:
        self._link, self._path, self._part, self._local = link, path, part, local
        for name in ("__name__", "__doc__", "__module__"):
            setattr(self, name, getattr(local, name, None))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it on the device."""
        if self._path in CALLS_BACK:
            args = tuple(self._to_call(one) for one in args)
        return self._link.call(self._path, self._part, args, kwargs)

    def _to_call(self, value: Any) -> Any:
        is_ours = hasattr(type(value), "told_to_device")
        return self._link.function(value) if callable(value) and not is_ours else value

    def __getitem__(self, key: Any) -> Any:
        return self._link.call(self._path, "__getitem__", (key,), {})

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._local, name)
        return RemoteFunction(self._link, self._path, found, name) if callable(found) else found

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self._local)

    def __repr__(self) -> str:
        return repr(self._local)

    def told_to_device(self) -> list:
        """Its name in messages."""
        return ["name", self._path]


class RemoteModule(types.ModuleType):
    """A module of gpuedu's arrays; names that are not of the device are those of the host."""

    def __init__(self, link: Link, module: str) -> None:
        self._link, self._module = link, module
        self._local = LOCAL[module]
        super().__init__(self._local.__name__, self._local.__doc__)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = self._find(name)
        setattr(self, name, found)
        return found

    def _find(self, name: str) -> Any:
        path = f"{self._module}.{name}".lstrip(".")
        if path in _OWN:
            return _OWN[path](self._link)
        local = getattr(self._local, name)
        if isinstance(local, types.ModuleType):
            return RemoteModule(self._link, path) if path in LOCAL else local
        if not is_remote(self._module, name):
            return local
        if isinstance(local, type) and name in self._link.classes:
            return self._link.classes[name]
        return RemoteFunction(self._link, path, local)

    def __dir__(self) -> list[str]:
        return dir(self._local)


def _fuse(link: Link) -> Callable[..., Any]:
    def fuse(*args: Any, **kwargs: Any) -> Any:
        fusion.fuse(*args, **kwargs)  # refuses what cannot be fused
        name = kwargs.get("kernel_name")
        if not (args and callable(args[0])):
            return lambda function: made(function, name or (args[0] if args else None))
        return made(args[0], name)

    def made(function: Callable[..., Any], name: str | None) -> Any:
        found = link.call("fuse", "", (link.function(function),), {"kernel_name": name})
        return functools.update_wrapper(found, function)

    return fuse


def _library_of(link: Link) -> Callable[..., Any]:
    def get_array_module(*args: Any) -> Any:
        on_device = any(isinstance(value, link.classes["ndarray"]) for value in args)
        return link.library if on_device else np

    return get_array_module


def _from_host(name: str) -> Callable[[Link], Callable[..., Any]]:
    def own(link: Link) -> Callable[..., Any]:
        return lambda *args, **kwargs: link.library.array(getattr(np, name)(*args, **kwargs))

    return own


def _load(link: Link) -> Callable[..., Any]:
    def load(file: Any, mmap_mode: Any = None, allow_pickle: Any = None) -> Any:
        found = np.load(file, allow_pickle=bool(allow_pickle))
        if isinstance(found, np.ndarray):
            return link.library.array(found)
        with found:
            return {name: link.library.array(found[name]) for name in found.files}

    return load


def _save(_link: Link) -> Callable[..., None]:
    return lambda file, arr, allow_pickle=None: np.save(file, arr.get())


def _savez(_link: Link) -> Callable[..., None]:
    def savez(file: Any, *args: Any, **named: Any) -> None:
        np.savez(file, *(one.get() for one in args), **{key: a.get() for key, a in named.items()})

    return savez


def _size_of(_link: Link) -> Callable[..., int]:
    return lambda a, axis=None: a.size if axis is None else a.shape[axis]


_OWN: dict[str, Callable[[Link], Any]] = {
    "fuse": _fuse,
    "get_array_module": _library_of,
    "load": _load,
    "save": _save,
    "savez": _savez,
    "size": _size_of,
    **{name: _from_host(name) for name in _FROM_HOST},
}
"""Names that are of the host and meet arrays of the device."""


_prepared: list[Link] = []
"""Links whose classes are made, for the processes that are forked from this one."""


def prepare() -> None:
    """Make beforehand what takes ``install`` its time."""
    link = Link()
    link.classes = proxy_classes(link)
    _prepared.append(link)


def install(channel: Channel) -> Link:
    """Make ``cp``, wherever a learner's code may find it, that of a device at the channel's end."""
    if not _prepared:
        prepare()
    link = _prepared.pop()
    link.connect(channel)
    link.library = library = RemoteModule(link, "")
    beside = RemoteModule(link, "cupyx")
    for name, module in (("cupy", library), ("cupyx", beside)):
        sys.modules[f"gpuedu.arrays.{name}"] = module
        setattr(arrays, name, module)
    vars(backend)["_cp"] = lambda: library
    gpuedu.__dict__["cp"] = library
    return link
