"""The device's side: executes what a learner's process asks for, if it is allowed.

Whatever arrives here was made by untrusted code. It becomes calls of the public names of gpuedu's
arrays with plain values and arrays that the device handed out itself, and nothing else.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from gpuedu.arrays.fusing import is_fusing
from gpuedu.arrays.memory import MemoryPointer, MemoryPool
from gpuedu.errors import AnswerError
from gpuedu.grading.player.device.clock_server import LentClock, clock_of_caller
from gpuedu.grading.player.device.faults import describe_fault, raise_told
from gpuedu.grading.player.device.lent import Lent, LentIterator
from gpuedu.grading.player.device.names import (
    ALLOCATING,
    CALLS_BACK,
    SETTABLE,
    attributes,
    class_name,
    find,
)
from gpuedu.grading.player.device.values import Codec, is_library

MOST_HELD = 100_000
"""Objects of the device that a learner's process may hold at a time."""
_MOST_FAULTS = 1_000
"""The newest are kept."""

Talk = Callable[[Mapping[str, Any]], Any]


class LeftItError(BaseException):
    """The learner's process ended a call while the device waited for one of its functions.

    ``reply`` is what came. It is not an exception that a learner's code could catch, nor one of
    theirs.
    """

    def __init__(self, reply: Any) -> None:
        self.reply = reply
        super().__init__("a learner's function was left")


class _RaisedThereError(Exception):
    """A learner's function raised; exception ``number`` is kept where it was raised."""

    def __init__(self, number: Any) -> None:
        self.number = number
        super().__init__("a learner's function raised")


class _Item:
    """What an iterator of the play's gave."""

    def __init__(self, value: Any) -> None:
        self.value = value


class DeviceServer(Codec):
    """What is on the device, and the names under which a learner's process knows it.

    Args:
        talk: sends a message to the learner's process and returns the next one from there.
    """

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._held: dict[int, tuple[Any, int]] = {}
        self._numbers: dict[int, int] = {}
        self._faults: dict[int, BaseException] = {}
        self._next = 1
        self.clock: LentClock | None = None
        self.clock_number = 0
        self._sent: list[np.ndarray] = []

    def answer(self, asked: Any) -> dict[str, Any]:
        """Execute one request; an error is an answer too."""
        try:
            if type(asked) is not dict:
                raise AnswerError("a message to the device has no known form")
            self.free(asked.get("freed"))
            return {"value": self.encode(self._execute(asked))}
        except _RaisedThereError as raised:
            return {"raised": raised.number}
        except (Exception, KeyboardInterrupt, SystemExit) as fault:  # as a case makes them
            number = self._keep(fault) if self._is_of_lent(asked) else None
            return {"fault": {**describe_fault(fault), "number": number}}
        finally:
            self._sent = []

    def _is_of_lent(self, asked: Any) -> bool:
        """Whether something of the play's was called, whose errors a play may wait for."""
        if type(asked) is not dict:
            return False
        number, kinds = asked.get("on"), (Lent, LentIterator)
        is_lent = type(number) is int and isinstance(self._held.get(number, (None, 0))[0], kinds)
        return is_lent or asked.get("op") == "clock"

    def _keep(self, fault: BaseException) -> int:
        """Keep a fault, which a learner's function may let out again, while that is called."""
        if len(self._faults) >= _MOST_FAULTS:
            self._faults.pop(next(iter(self._faults)))
        number, self._next = self._next, self._next + 1
        self._faults[number] = fault
        return number

    def forget_faults(self) -> None:
        """None of the learner's functions is running any longer."""
        if self.clock is None:  # else a thread may let one out later
            self._faults.clear()

    @contextmanager
    def lend_clock(self) -> Iterator[None]:
        """Let the learner's threads take part in the clock that the caller is on."""
        self.clock_number += 1
        self.clock = LentClock(clock_of_caller(), self._live)
        try:
            yield
        finally:
            self.clock = None
            self.forget_faults()

    def _live(self, number: int) -> None:
        """What a thread does on the clock: what that of the learner's process asks for."""
        clock, message = self.clock, {"run": number}
        while clock.left is None:
            reply = self._talk({"answer": {**message, "to": number}})
            asked = reply.get("device") if type(reply) is dict else None
            if type(asked) is not dict:
                clock.left = reply
            elif asked.get("op") == "ended":
                self.free(asked.get("freed"))
                raise_told(asked.get("fault"))
                return
            else:
                message = self.answer(asked)

    def item(self, number: Any) -> Any:
        """The item with that number that a learner's process was given; never None.

        Raises:
            AnswerError: there is none with that number.
        """
        items = self.clock.items if self.clock is not None else []
        if type(number) is not int or not 0 <= number < len(items):
            raise AnswerError("an item arrived that was never given")
        return items[number]

    def item_fault(self, number: Any) -> BaseException:
        """The exception that is such an item.

        Raises:
            AnswerError: it is not one.
        """
        found = self.item(number)
        if not isinstance(found, BaseException):
            raise AnswerError("an error arrived that nobody raised")
        return found

    def require_there(self) -> None:
        """Raise LeftItError if the learner's process has ended a call while a thread ran."""
        if self.clock is not None and self.clock.left is not None:
            raise LeftItError(self.clock.left)

    def copy_of(self, kind: Any, args: Any) -> BaseException | None:
        """An exception like one that the learner's process was given; None if it is another."""
        given = [*self._faults.values(), *(self.clock.items if self.clock is not None else [])]
        for one in given:
            name = type(one).__name__
            is_same = isinstance(one, BaseException) and vars(builtins).get(name) is type(one)
            if is_same and kind == ["builtins", name] and args == list(one.args):
                return type(one)(*one.args)
        return None

    def fault(self, number: Any) -> BaseException:
        """The fault that a learner's function let out.

        Raises:
            AnswerError: there is none with that number.
        """
        if type(number) is not int or number not in self._faults:
            raise AnswerError("an error arrived that nobody raised")
        return self._faults[number]

    def free(self, told: Any) -> None:
        """Drop what the learner's process no longer refers to."""
        for one in told if type(told) is list else ():
            number, times = one if type(one) is list and len(one) == 2 else (None, None)
            if type(number) is int and number in self._faults:
                self._faults[number].__traceback__ = None  # and what lives in its frames
            if type(number) is type(times) is int and number in self._held:
                thing, sent = self._held[number]
                self._held[number] = thing, sent - times
                if times >= sent:
                    self._drop(number)

    def _drop(self, number: int) -> None:
        thing, _ = self._held.pop(number)
        self._numbers.pop(id(thing), None)

    def _execute(self, asked: dict[str, Any]) -> Any:
        op, name = asked.get("op"), asked.get("name")
        if type(name) is not str:
            raise AnswerError("a message to the device has no known form")
        if type(asked.get("on")) is str:
            return self._call(find(asked["on"], name), asked, takes=asked["on"] in CALLS_BACK)
        if op == "clock" and self.clock is not None:
            return self.clock.act(name, asked.get("args"))
        thing = self._thing(asked.get("on"))
        kind = class_name(thing)
        if name not in attributes(kind) and not (op == "set" and name in SETTABLE):
            raise AnswerError(f"`{name[:60]}` of a {kind} cannot be used when a class is graded")
        if op == "get":
            return getattr(thing, name)
        if op == "set" and kind == "ndarray" and name in SETTABLE:
            setattr(thing, name, self.decode(asked.get("value")))
            return thing
        given = self._call(getattr(thing, name), asked, takes=False)
        is_item = self.clock is not None and kind == "LentIterator" and name == "__next__"
        return _Item(given) if is_item else given

    def _call(self, function: Callable[..., Any], asked: dict[str, Any], *, takes: bool) -> Any:
        args, kwargs = asked.get("args"), asked.get("kwargs")
        if type(args) is not list or type(kwargs) is not dict:
            raise AnswerError("a message to the device has no known form")
        given = [self._argument(one, takes=takes) for one in args]
        named = {str(key): self._argument(one, takes=takes) for key, one in kwargs.items()}
        if asked["on"] in ALLOCATING:
            _require_pools(given, named)
        self._sent = [one for one in (*given, *named.values()) if type(one) is np.ndarray]
        return function(*given, **named)

    def _argument(self, encoded: Any, *, takes: bool) -> Any:
        if takes and type(encoded) is list and len(encoded) == 3 and encoded[0] == "function":
            return self._function(encoded[1], str(encoded[2])[:60])
        return self.decode(encoded)

    def _function(self, number: Any, name: str) -> Callable[..., Any]:
        def function(*args: Any) -> Any:
            return self._call_back(number, args)

        function.__name__ = function.__qualname__ = name
        return function

    def _call_back(self, number: Any, args: tuple) -> Any:
        """Call a function of the learner's, and do meanwhile what it asks for."""
        message = {"callback": number, "args": [self.encode(one) for one in args]}
        first, kept = self._next, self._sent
        while True:
            reply = self._talk({"answer": message})
            asked = reply.get("device") if type(reply) is dict else None
            if type(asked) is not dict:
                raise LeftItError(reply)
            if asked.get("op") in ("returned", "raised"):
                break
            message = self.answer(asked)
        self._sent = kept
        result = self.decode(asked.get("value")) if asked["op"] == "returned" else None
        self.free(asked.get("freed"))
        if is_fusing():  # what a fused function made lies in registers, and ends with it
            for made in [one for one in self._held if one >= first]:
                self._drop(made)
        if asked["op"] == "raised":
            raise _RaisedThereError(asked.get("value"))
        return result

    def _thing(self, number: Any) -> Any:
        if type(number) is not int or number not in self._held:
            raise AnswerError(
                "an array was used that is no longer on the device",
                remedy="What a fused function makes is gone when it ends: return it.",
            )
        return self._held[number][0]

    def is_own(self, value: Any) -> bool:
        """True if it is a thing of the device, or a library that works with it."""
        return is_library(value) or class_name(value) is not None

    def encode_own(self, value: Any) -> list | None:
        """Handles for what is on the device; the library by its name."""
        if type(value) is _Item:
            return self._encode_item(value.value)
        if is_library(value):
            return ["library", "numpy" if value is np else "cupy"]
        if type(value) is np.ndarray:
            for at, one in enumerate(self._sent):
                if value is one:
                    return ["argument", at, value]
            return None
        kind = class_name(value)
        if kind is None:
            return None
        if isinstance(value, MemoryPointer):
            _require_inside(value)
        return ["thing", self._handle(value), kind, self._told_of(value)]

    def _encode_item(self, item: Any) -> list:
        self.clock.items.append(item)
        is_fault = isinstance(item, BaseException)
        told = describe_fault(item) if is_fault else self.encode(item)
        return ["item", len(self.clock.items) - 1, told, is_fault]

    def _handle(self, value: Any) -> int:
        number = self._numbers.get(id(value))
        if number is None:
            if len(self._held) >= MOST_HELD:
                raise AnswerError(f"more than {MOST_HELD:,} arrays are held on the device")
            number, self._next = self._next, self._next + 1
            self._numbers[id(value)] = number
        _, sent = self._held.get(number, (None, 0))
        self._held[number] = value, sent + 1
        return number

    @staticmethod
    def _told_of(value: Any) -> list:
        if type(value).__name__ != "ndarray":
            return []
        flags = value.flags
        lies = [flags.c_contiguous, flags.f_contiguous, flags.owndata]
        return [list(value.shape), value.dtype.str, list(value.strides), lies]

    def decode_own(self, kind: str, encoded: list) -> Any:
        """What a learner's process may name: things that it holds, methods of them, functions."""
        rest = encoded[1:]
        if kind == "thing" and len(rest) == 1:
            return self._thing(rest[0])
        if kind == "method" and len(rest) == 2:
            thing, name = self._thing(rest[0]), rest[1]
            if type(name) is str and name in attributes(class_name(thing)):
                return getattr(thing, name)
        if kind == "name" and len(rest) == 1 and type(rest[0]) is str:
            return find(rest[0])
        if kind == "library" and rest == ["numpy"]:
            return np
        raise AnswerError("a message to the device has no known form")


def _require_pools(given: list[Any], named: dict[str, Any]) -> None:
    """Memory comes from pools: another allocator could hand out what is in use already."""
    for one in (*given, *named.values()):
        owner = getattr(one, "__self__", None)
        if one is not None and not (isinstance(owner, MemoryPool) and one == owner.malloc):
            raise AnswerError("an allocator is None, or `malloc` of a pool, when a class is graded")


def _require_inside(place: MemoryPointer) -> None:
    """An address beside its allocation is somebody else's memory, here as on a device."""
    if not (type(place.offset) is int and 0 <= place.offset <= place.mem.size):
        raise AnswerError(
            f"an offset of {place.offset} bytes is outside an allocation of "
            f"{place.mem.size:,} bytes"
        )
