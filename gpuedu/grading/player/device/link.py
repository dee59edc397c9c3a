"""The learner's side of the line to the device: asks, waits, and is called back.

Nothing here is trusted: a learner's code can change all of it, and send the device whatever this
could send.
"""

from __future__ import annotations

import contextlib
import threading
import types
import weakref
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gpuedu.clock.processes import current
from gpuedu.grading.player.channel import Channel
from gpuedu.grading.player.device.clock_link import RemoteClock
from gpuedu.grading.player.device.faults import rebuild_fault
from gpuedu.grading.player.device.values import Codec, is_library

_MARK = "_raised_there"
_MOST_TEXT = 1_000


class Link(Codec):
    """The line, and what is known about the device's things on this side.

    Args:
        channel: to the judge, who passes messages on; without one, ``connect`` gives it.

    ``classes`` and ``library`` are set by their makers: proxies by the name of what they stand in
    for, and what stands in for the module ``cp``.
    """

    def __init__(self, channel: Channel | None = None) -> None:
        self._channel = channel
        self._known: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        self._freed: list[list[int]] = []
        self._functions: list[Callable[..., Any]] = []
        self._raised: dict[int, Exception] = {}
        self._lock = threading.RLock()
        self._items: dict[int, Any] = {}
        self._item_numbers: dict[int, int] = {}
        self.clock: RemoteClock | None = None
        self.classes: dict[str, type] = {}
        self.library: Any = None

    def connect(self, channel: Channel) -> None:
        """Use this line to the judge."""
        self._channel = channel

    def call(self, on: str | int, name: str, args: tuple, kwargs: Mapping[str, Any]) -> Any:
        """Call a function by its path, or a method of a thing by its number."""
        message = {
            "op": "call",
            "on": on,
            "name": name,
            "args": [self.encode(one) for one in args],
            "kwargs": {key: self.encode(one) for key, one in kwargs.items()},
        }
        hosts = [one for one in (*args, *kwargs.values()) if isinstance(one, np.ndarray)]
        return self._ask(message, hosts)

    def get(self, number: int, name: str) -> Any:
        """An attribute of a thing."""
        return self._ask({"op": "get", "on": number, "name": name}, [])

    def set(self, number: int, name: str, value: Any) -> None:
        """Set an attribute of a thing."""
        asked = {"op": "set", "on": number, "name": name, "value": self.encode(value)}
        self._ask(asked, [])

    def function(self, function: Callable[..., Any]) -> Any:
        """A function from the learner, to be called back."""
        return _Function(function)

    def let_go(self, number: int, times: int) -> None:
        """A proxy died after it had been sent ``times`` times; reported with the next message."""
        self._freed.append([number, times])

    def enter_clock(self, number: int) -> None:
        """Be on the play's clock with this number; leave the one before if it is another."""
        if self.clock is not None and self.clock.number == number:
            return
        self.leave_clock()
        self.clock = RemoteClock(self, number)

    def leave_clock(self) -> None:
        """Be on no clock: threads that are left on it end."""
        if self.clock is not None:
            self.clock.close()
            self.clock = None
        self._items.clear()
        self._item_numbers.clear()

    def act(self, name: str, args: list) -> Any:
        """Ask the clock for something."""
        return self._ask({"op": "clock", "name": name, "args": args}, [])

    def end_thread(self, fault: BaseException | None) -> Any:
        """Say that the calling thread has ended; returns the next message, for any thread."""
        told = None if fault is None else [type(fault).__name__, _text_of(fault)]
        self._say({"op": "ended", "fault": told})
        return self._channel.receive()

    def receive(self) -> Any:
        """The next message for the calling thread."""
        if self.clock is None:
            return self._channel.receive()
        mine = current(self.clock).number
        return self.clock.received(self._channel.receive(), mine)

    def item_number(self, value: Any) -> int | None:
        """The number of an item that one of the play's iterators gave; None for anything else."""
        return self._item_numbers.get(id(value))

    def number_of(self, fault: BaseException) -> int | None:
        """The number of a fault that one of the play's functions raised; None for any other."""
        number = vars(fault).get(_MARK)
        return number if type(number) is int else None

    def freed(self) -> list[list[int]]:
        """The proxies that died since this was last asked."""
        freed, self._freed = self._freed, []
        return freed

    def _ask(self, asked: dict[str, Any], hosts: list[np.ndarray]) -> Any:
        if self.clock is not None and asked["op"] != "clock":
            self.clock.settle()
            current(self.clock).goes_on()
        with self._lock if self.clock is None else contextlib.nullcontext():
            self._say(asked)
            while True:
                answer = self.receive()["answer"]
                if "callback" not in answer:
                    break
                self._say(self._call_back(answer))
        if "raised" in answer:
            raise self._raised.pop(answer["raised"])
        if "fault" in answer:
            fault = rebuild_fault(answer["fault"])
            number = answer["fault"]["number"]
            if number is not None:  # of a function of the play's
                vars(fault)[_MARK] = number
                # Lives as long as this frame, which is in the traceback: so do those over there.
                kept = _Kept(self, number)  # noqa: F841
            try:
                raise fault
            finally:
                del fault  # it would hold this frame, and this frame it
        encoded = answer["value"]
        if type(encoded) is list and encoded[0] == "argument":
            return _written(hosts[encoded[1]], encoded[2])
        return self.decode(encoded)

    def _say(self, asked: dict[str, Any]) -> None:
        self._channel.send({"device": {**asked, "freed": self.freed()}})

    def _call_back(self, answer: dict[str, Any]) -> dict[str, Any]:
        try:
            args = [self.decode(one) for one in answer["args"]]
            given = self._functions[answer["callback"]](*args)
            return {"op": "returned", "value": self.encode(given)}
        except Exception as fault:
            self._raised[id(fault)] = fault
            return {"op": "raised", "value": id(fault)}

    def is_own(self, value: Any) -> bool:
        """True if it stands for a thing or a function of the device."""
        return hasattr(type(value), "told_to_device")

    def encode_own(self, value: Any) -> list | None:
        """Things of the device by their numbers; functions by their names."""
        if isinstance(value, _Function):
            self._functions.append(value.function)
            return ["function", len(self._functions) - 1, value.name]
        if is_library(value):
            return ["library", "numpy"] if value is np else None
        if isinstance(value, types.MethodType) and self.is_own(value.__self__):
            return ["method", value.__self__._link_number, value.__name__]
        told = getattr(type(value), "told_to_device", None)
        return told(value) if told is not None else None

    def decode_own(self, kind: str, encoded: list) -> Any:
        """Things of the device as proxies; the library in this side's form."""
        if kind == "library":
            return np if encoded[1] == "numpy" else self.library
        if kind == "argument":
            return encoded[2]
        if kind == "item":
            return self._item(*encoded[1:])
        _, number, name, facts = encoded
        proxy = self._known.get(number)
        if proxy is None:
            proxy = object.__new__(self.classes[name])
            object.__setattr__(proxy, "_link_number", number)
            object.__setattr__(proxy, "_link_times", 0)
            self._known[number] = proxy
        object.__setattr__(proxy, "_link_times", proxy._link_times + 1)
        object.__setattr__(proxy, "_link_facts", facts)
        return proxy

    def _item(self, number: int, encoded: Any, is_fault: bool) -> Any:
        """An item of an iterator, known again where a learner's code gives it back."""
        item = rebuild_fault(encoded) if is_fault else self.decode(encoded)
        self._items[number] = item
        self._item_numbers[id(item)] = number
        return item


class _Kept:
    """Tells when it dies, which is when nobody has a traceback of a fault any more."""

    def __init__(self, link: Link, number: int) -> None:
        self._link, self._number = link, number

    def __del__(self) -> None:
        self._link.let_go(self._number, 1)


class _Function:
    """A function on its way to the device."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.name = str(getattr(function, "__name__", type(function).__name__))


def _text_of(fault: BaseException) -> str:
    try:
        return str(fault)[:_MOST_TEXT]
    except Exception:  # a class of a learner's whose text cannot be read
        return ""


def _written(mine: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """A host array that the device wrote to, such as ``out`` of ``get``."""
    if mine.flags.writeable:
        mine[...] = theirs
    return mine
