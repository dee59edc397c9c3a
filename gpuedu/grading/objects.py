"""The objects in the arguments of a call, by number, and what was left in each.

A call of a function with the same arguments elsewhere finds the same objects under the same
numbers. A changed list, dict or array is sent as a whole, and so are a changed tensor's values; for
an object with parts (see ``gpuedu.grading.parts``), the parts that changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.lent_methods import methods_lent_by
from gpuedu.grading.describing import Describing
from gpuedu.grading.parts import (
    Parts,
    has_parts,
    is_equal,
    is_generator,
    is_leaf,
    is_optimizer,
    is_tensor,
    misfit,
    parts_of,
    put_part,
    require_no_fused,
    unseen,
)
from gpuedu.grading.rebuilding import Rebuilding

_DEEPEST = 12
_MOST_FOUND = 100_000
_CONTAINERS = (list, dict)
_WHOLE = (*_CONTAINERS, np.ndarray)
_NOTHING: dict[int, Any] = {}


Opaque = Mapping[int, Any]
"""Objects, by ``id``, that have no form elsewhere: nothing is looked for in them."""


def found_in(arguments: Any, opaque: Opaque = _NOTHING) -> list[Any]:
    """What a function could leave something in, in a fixed order; objects with parts once each.

    Raises:
        AnswerError: there is more than anyone would reasonably hand over.

    >>> inner = [1]
    >>> found_in((inner, 3, {"a": inner}))
    [[1], {'a': [1]}, [1]]
    """
    with unseen():
        return list(_Walk(opaque).through(arguments, 0))


def functions_in(arguments: Sequence[Any]) -> list[Any]:
    """Those of some arguments that are functions, or are called like one."""
    return [one for one in arguments if is_function(one)]


def is_function(value: Any) -> bool:
    """Whether it is a function, or is called like one, and has no parts."""
    return callable(value) and not isinstance(value, type) and not has_parts(value)


def methods_in(arguments: Sequence[Any], opaque: Opaque = _NOTHING) -> list[tuple[Any, str]]:
    """Objects with the name of a method that they lend, in a fixed order.

    These are the ``step`` of optimizers among the arguments, and the methods of arguments whose
    class is marked for it (see ``gpuedu.exercises.lent_methods``).
    """
    optimizers = filter(is_optimizer, found_in(tuple(arguments), opaque))
    marked = {id(one): one for one in arguments}.values()
    methods = [(one, name) for one in marked for name in methods_lent_by(one)]
    return [*((one, "step") for one in optimizers), *methods]


def operands_of(arguments: Sequence[Any], found: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """The tensors in some arguments, by what was found in them, and their random generators."""
    return list(filter(is_tensor, found)), list(filter(is_generator, arguments))


class _Walk:
    """One way through arguments."""

    def __init__(self, opaque: Opaque) -> None:
        self._opaque, self._seen = set(opaque), set[int]()
        self._count = 0

    def through(self, value: Any, depth: int) -> Iterator[Any]:
        if is_leaf(value) or id(value) in self._opaque:
            return
        if isinstance(value, (*_CONTAINERS, tuple)):
            if not isinstance(value, tuple):
                yield self._counted(value)
            for one in _held(value) if depth < _DEEPEST else ():
                yield from self.through(one, depth + 1)
        elif type(value) is np.ndarray:
            yield self._counted(value)
        elif is_tensor(value):
            yield self._counted(value)
            if depth < _DEEPEST:
                yield from self.through(parts_of(value)["grad"], depth + 1)
        elif id(value) not in self._seen and has_parts(value):
            self._seen.add(id(value))
            yield self._counted(value)
            for part in parts_of(value).values():
                yield from self.through(part, depth)

    def _counted(self, value: Any) -> Any:
        self._count += 1
        if self._count > _MOST_FOUND:
            raise AnswerError("the arguments of a function contain too many objects")
        return value


class Before:
    """What the objects in some arguments are before a function gets them.

    Args:
        arguments: of the call.
        opaque: objects that have no form elsewhere.
        is_watched: whether operations on tensors are sent separately: then what was written to
            their memory is not checked.

    Attributes:
        found: the objects.
    """

    def __init__(
        self, arguments: Any, opaque: Opaque = _NOTHING, *, is_watched: bool = False
    ) -> None:
        self.found = found_in(arguments, opaque)
        first = {id(one): at for at, one in reversed(list(enumerate(self.found)))}
        self._copies = [
            None if is_tensor(one) and first[id(one)] < at else _copy(one, is_watched)
            for at, one in enumerate(self.found)
        ]

    def told(self, describing: Describing) -> list[list | None]:
        """What has been left in each since then, up to the last; None for what is unchanged.

        A tensor that is found again is sent once.
        """
        pairs = zip(self.found, self._copies, strict=True)
        told = [None if before is None else _told(one, before, describing) for one, before in pairs]
        while told and told[-1] is None:
            del told[-1]
        return told


def _copy(value: Any, is_watched: bool) -> Any:
    if isinstance(value, _CONTAINERS):
        return _held(value)
    if type(value) is np.ndarray:
        return value.copy()
    if not is_tensor(value):
        return parts_of(value)
    values = _Memory(value) if is_watched else value.detach().clone()
    return {"values": values, **parts_of(value)}


class _Memory:
    """The memory that a tensor lies in; kept, so that no other one gets its address."""

    def __init__(self, tensor: Any) -> None:
        self._storage = tensor.untyped_storage()

    def is_of(self, tensor: Any) -> bool:
        return tensor.untyped_storage()._cdata == self._storage._cdata


def _told(value: Any, before: Any, describing: Describing) -> list | None:
    if isinstance(value, _WHOLE):
        return None if _is_as(value, before) else describing.inside(value)
    told: Parts = {}
    if is_tensor(value) and not _is_as(value, before["values"]):
        told["values"] = describing.inside(value)
    for name, part in parts_of(value).items():
        if not _is_same(part, before.get(name, ...)):
            told[name] = describing.value(part)
    return ["parts", told] if told else None


def _is_as(value: Any, before: Any) -> bool:
    """Whether it is as it was; a NaN is never as it was, which costs nothing."""
    if isinstance(value, _CONTAINERS):
        return list(map(id, _held(value))) == list(map(id, before))
    if isinstance(before, _Memory):
        return before.is_of(value)
    if is_tensor(value):
        import torch

        return value.dtype == before.dtype and torch.equal(value.detach(), before)
    return value.dtype == before.dtype and np.array_equal(value, before)


def _held(value: list | tuple | dict) -> list:
    """What is in it, keys too, whatever its own methods say."""
    if isinstance(value, dict):
        return [*dict.keys(value), *dict.values(value)]
    return list((list if isinstance(value, list) else tuple).__iter__(value))


def _is_same(part: Any, before: Any) -> bool:
    """Whether a part is the same object, or an equal plain value."""
    if type(part) is type(before) is tuple:
        return len(part) == len(before) and all(map(_is_same, part, before))
    return part is before or (is_leaf(part) and is_equal(before, part))


def leave_all(found: list[Any], left: list, rebuilding: Rebuilding) -> None:
    """Leave in objects what was left elsewhere in those with the same numbers.

    Args:
        found: the objects; see ``found_in``.
        left: what ``Before.told`` gave, from a process that is not trusted.
        rebuilding: with the same objects.

    Raises:
        AnswerError: that does not fit into them.
    """
    if any(told is not None for told in left[len(found) :]):
        raise misfit()
    for mine, told in zip(found, left, strict=False):
        if told is not None:
            _leave(mine, told, rebuilding)


def _leave(mine: Any, told: Any, rebuilding: Rebuilding) -> None:
    if isinstance(mine, _WHOLE):
        _leave_whole(mine, rebuilding.value(told))
        return
    if type(told) is not list or len(told) != 2 or told[0] != "parts" or type(told[1]) is not dict:
        raise misfit()
    for name, one in told[1].items():
        put_part(mine, name, rebuilding.value(one))


def _leave_whole(mine: Any, theirs: Any) -> None:
    """An item that is equal stays the same object."""
    kind = next(one for one in _WHOLE if isinstance(mine, one))
    if type(theirs) is not kind:
        raise misfit()
    if kind is not np.ndarray:  # the list may be that of an optimizer's groups, or the dict one
        require_no_fused(theirs if kind is list else [theirs])
    if kind is list:
        kept = [old if is_equal(old, new) else new for old, new in zip(mine, theirs, strict=False)]
        mine[:] = [*kept, *theirs[len(kept) :]]
    elif kind is dict:
        equal = {key for key in theirs if key in mine and is_equal(mine[key], theirs[key])}
        kept = {key: mine[key] if key in equal else one for key, one in theirs.items()}
        mine.clear()
        mine.update(kept)
    elif mine.shape != theirs.shape or mine.dtype != theirs.dtype:
        raise misfit()
    elif mine.flags.writeable:
        mine[...] = theirs
