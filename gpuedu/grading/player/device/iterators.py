"""Iterators that a learner's function made: they stay with it, and are called remotely."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any

from gpuedu.clock import lend
from gpuedu.errors import AnswerError
from gpuedu.grading.player.device.link import Link

Ask = Callable[[str, int], Mapping[str, Any]]
"""Asks the iterator with a number for something: iter, next, close or leave."""


class Iterators:
    """On the learner's side: what its functions returned, by number.

    Args:
        link: knows the items that came from the play.
    """

    def __init__(self, link: Link) -> None:
        self._link = link
        self._held: list[Any] = []
        self._lending = ExitStack()

    def enter(self, clock: int, function: Callable[..., Any] | None) -> None:
        """Be on the clock with this number, and let a function's code use it; 0 means no clock."""
        if self._link.clock is not None and self._link.clock.number == clock:
            return
        self._held.clear()
        self._lending.close()
        self._link.leave_clock()
        if clock:
            self._link.enter_clock(clock)
            self._lending.enter_context(lend(function))

    def describe(self, given: Any) -> dict[str, Any] | None:
        """An iterable, by its number; None for anything else."""
        if not (hasattr(type(given), "__iter__") or hasattr(type(given), "__getitem__")):
            return None
        self._held.append(given)
        return {"iterator": len(self._held) - 1, "closes": hasattr(given, "close")}

    def ask(self, what: str, number: int) -> dict[str, Any]:
        """Do what the play asks of one."""
        one = self._held[number]
        if what == "iter":
            return self.describe(iter(one))
        if what == "close":
            one.close()
            return {}
        if what == "leave":
            self._held = [None if held is one else held for held in self._held]
            return {}
        try:
            given = next(one)
        except StopIteration:
            return {"is_over": True}
        return {"item": self._link.item_number(given)}


class IterableThere:
    """On the play's side: what a learner's function returned.

    Args:
        ask: asks for it.
        number: its number.
    """

    def __init__(self, ask: Ask, number: int) -> None:
        self._ask, self._number = ask, number

    def __iter__(self) -> Iterator[Any]:
        """Its iterator."""
        return iterable_of(self._ask("iter", self._number), self._ask, IteratorThere)

    def leave_afar(self) -> None:
        """Let it die there, if nothing else refers to it."""
        self._ask("leave", self._number)


class IteratorThere(IterableThere):
    """An iterator there: the play's own items, and for others an object that is none of them."""

    def __next__(self) -> Any:
        """The next item."""
        given = self._ask("next", self._number)
        if given.get("is_over") is True:
            raise StopIteration
        return given.get("item")


class ClosingIterator(IteratorThere):
    """One that can be closed."""

    def close(self) -> None:
        """Close it."""
        self._ask("close", self._number)


def iterable_of(told: Any, ask: Ask, kind: type[IterableThere] = IterableThere) -> Any:
    """What stands in for what was described.

    Raises:
        AnswerError: nothing is described like that.
    """
    number = told.get("iterator") if type(told) is dict else None
    if type(number) is not int:
        raise AnswerError("an answer arrived in an unknown form")
    is_closing = kind is IteratorThere and told.get("closes") is True
    return (ClosingIterator if is_closing else kind)(ask, number)
