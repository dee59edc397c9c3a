"""Files are in the store: PyTorch and NumPy read and write none of the disk's.

What PyTorch reads has to be what it wrote: it believes a file's sizes. And a tensor that shares an
array's numbers could write even where the array may not: it gets a copy of those. An array of a
tensor is a copy, too: the tensor may free what it had. A generator believes a state's place in its
numbers, so it goes on only from one that a generator had.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from typing import Any
from unittest.mock import patch

from gpuedu.errors import AnswerError

_PLACES = {"torch.save": 1, "torch.load": 0, "numpy.save": 0, "numpy.load": 0}
"""Functions that take a file or a path, and at which place."""
_OF_NUMPY = b"\x93NUMPY"
"""How the file of an array begins."""
_SHARING = ("from_numpy", "as_tensor", "asarray")
_KNOWN: set[bytes] = set()
"""Digests of what ``torch.save`` wrote, of generators' states, and of what a program was given."""


def know_file(content: bytes | memoryview) -> None:
    """``torch.load`` may read this."""
    _KNOWN.add(sha256(content).digest())


@contextmanager
def no_files() -> Iterator[None]:
    """While it lasts, ``torch.save`` and the like take files in memory only.

    Raises:
        AnswerError: where they are given something else, such as a path; or ``torch.load`` is
            given what ``torch.save`` did not write.
    """
    import numpy as np
    import torch

    with ExitStack() as stack:
        for full, place in _PLACES.items():
            module, _, name = full.partition(".")
            library = torch if module == "torch" else np
            guarded = _guarded(getattr(library, name), full, place)
            stack.enter_context(patch.object(library, name, guarded))
        stack.enter_context(patch.object(torch, "get_rng_state", _kept(torch.get_rng_state)))
        stack.enter_context(patch.object(torch, "set_rng_state", _of_kept(torch.set_rng_state)))
        stack.enter_context(patch.object(np, "frombuffer", _of_bytes(np.frombuffer)))
        stack.enter_context(patch.object(torch.Tensor, "numpy", _apart(torch.Tensor.numpy)))
        for name in _SHARING:
            stack.enter_context(patch.object(torch, name, _copying(getattr(torch, name))))
        yield


def _guarded(function: Callable[..., Any], full: str, place: int) -> Callable[..., Any]:
    def guarded(*args: Any, **kwargs: Any) -> Any:
        if len(args) <= place or type(args[place]) is not io.BytesIO:
            raise AnswerError(
                f"`{full}` takes an `io.BytesIO` here, at place {place + 1}",
                remedy="Files are in the store: `store.read` and `store.write`.",
            )
        file = args[place]
        if full == "torch.load":
            return function(_known(file, kwargs.get("map_location")), *args[1:], **kwargs)
        if full == "numpy.load" and file.getbuffer()[file.tell() :][:6] != _OF_NUMPY:
            raise AnswerError("`numpy.load` reads one array here, as `numpy.save` writes it")
        if full != "torch.save":
            return function(*args, **kwargs)
        if len(args) != 2 or kwargs:
            raise AnswerError("`torch.save` takes an object and a file here, and nothing else")
        saved = io.BytesIO()  # of which nothing else can change what is noted
        function(args[0], saved)
        know_file(saved.getvalue())
        file.write(saved.getvalue())
        return None

    guarded.__name__ = function.__name__
    return guarded


def _known(file: io.BytesIO, place: object) -> io.BytesIO:
    """A copy of the file, which nothing changes until it is read."""
    import torch

    if not isinstance(place, (str, torch.device, type(None))):
        raise AnswerError("`map_location` is a device here, or its name")
    content = file.getvalue()
    if file.tell() or sha256(content).digest() not in _KNOWN:
        raise AnswerError(
            "`torch.load` reads what `torch.save` wrote, and this is something else",
            remedy="Is it all of that file, from its beginning?",
        )
    return io.BytesIO(content)


def _of_bytes(frombuffer: Callable[..., Any]) -> Callable[..., Any]:
    def of_bytes(buffer: Any, *args: Any, **kwargs: Any) -> Any:
        if type(buffer) is not bytes:  # an array's may hold objects, by their addresses
            raise AnswerError("`numpy.frombuffer` takes bytes here")
        return frombuffer(buffer, *args, **kwargs)

    return of_bytes


def _apart(numpy: Callable[..., Any]) -> Callable[..., Any]:
    def apart(self: Any, *args: Any, **kwargs: Any) -> Any:
        """An array of its own: a tensor may get other numbers, and free those it had."""
        return numpy(self, *args, **kwargs).copy()

    return apart


def _kept(get_rng_state: Callable[..., Any]) -> Callable[..., Any]:
    def get() -> Any:
        state = get_rng_state()
        know_file(state.numpy().tobytes())
        return state

    return get


def _of_kept(set_rng_state: Callable[..., Any]) -> Callable[..., Any]:
    def set_(new_state: Any) -> None:
        import torch

        if type(new_state) is not torch.Tensor:
            raise AnswerError("`torch.set_rng_state` takes what `torch.get_rng_state` gave")
        state = new_state.detach().clone()  # of which nothing else can change what is looked at
        if sha256(state.numpy().tobytes()).digest() not in _KNOWN:
            raise AnswerError("`torch.set_rng_state` takes what `torch.get_rng_state` gave")
        set_rng_state(state)

    return set_


def _copying(function: Callable[..., Any]) -> Callable[..., Any]:
    def copying(data: Any, *args: Any, **kwargs: Any) -> Any:
        import numpy as np

        if isinstance(data, np.ndarray | np.generic):
            data = data if data.flags.writeable else np.array(data)
        elif isinstance(data, bytes | bytearray | memoryview):
            raise AnswerError(
                f"`torch.{function.__name__}` takes an array here, and no bytes",
                remedy="`np.frombuffer` makes one.",
            )
        return function(data, *args, **kwargs)

    copying.__name__ = function.__name__
    return copying
