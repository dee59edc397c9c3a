"""The machine's side: carries programs out on the play's own tensors, if it may.

Whatever arrives here was made by code that nobody vouches for. It becomes operations of a list, on
tensors that are here already, and numbers. How much memory and time they take, the sandbox limits.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from torch.utils._pytree import tree_leaves

from gpuedu.errors import AnswerError
from gpuedu.grading.chance import require_torch_state
from gpuedu.grading.player.device.lent import Lent
from gpuedu.grading.player.operations.allowed import find_operation
from gpuedu.grading.player.operations.bounds import require_bounds
from gpuedu.grading.player.operations.operands import (
    DEVICES,
    describe_holding,
    describe_tensors,
    dtype_named,
    rebuild_holding,
    rebuild_tensors,
    storage_places,
    unwatched,
)
from gpuedu.grading.player.operations.programs import read_program
from gpuedu.grading.results import write_back

MOST_HELD = 100_000
"""Tensors that a program may hold at a time."""
_MOST_GENERATORS = 1_000
_DEEPEST = 4
_PLAIN = (str, bool, int, float, type(None))
_LAYOUTS = {"strided": torch.strided}
_FORMATS = {
    name: getattr(torch, name)
    for name in ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")
}
_NO_FORM = "an operation arrived in a form that none has"


class Kept:
    """Stands for something that stays with the learner's code, and is handed back to it."""

    def __init__(self, number: int) -> None:
        self.number = number


class OperationExecutor:
    """Tensors by number, as a learner's process knows them, and what it does to them.

    Args:
        lend: what tells the other side of a function that it may call; without it, of none.
    """

    def __init__(self, lend: Callable[[Lent], Any] = lambda function: None) -> None:
        self._lend = lend
        self._tensors: dict[int, torch.Tensor] = {}
        self._generators: dict[int, torch.Generator] = {0: torch.default_generator}
        self._agreed: dict[int, np.ndarray] = {}
        self._offered: tuple[list[torch.Tensor], list[torch.Generator]] = [], []

    # To the learner's side

    def offer(self, values: Sequence[Any]) -> dict[str, Any]:
        """Values in which tensors and generators may be, with these, for a message."""
        tensors: list[torch.Tensor] = []
        generators: list[torch.Generator] = []
        functions: list[Callable[..., Any]] = []

        def own(value: Any) -> list | None:
            if isinstance(value, Kept):
                return ["kept", value.number]
            if isinstance(value, torch.Tensor):
                return ["tensor", _place_in(tensors, value)]
            if isinstance(value, torch.Generator):
                return ["generator", _place_in(generators, value)]
            if isinstance(value, types.FunctionType):
                return ["function", _place_in(functions, value)]
            return None

        with unwatched():
            told: dict[str, Any] = {"values": [describe_holding(one, own) for one in values]}
            told |= describe_tensors(tensors)
            told["generators"] = [self._tell_generator(one) for one in generators]
            told["functions"] = [self._lend(Lent(partial(self._call, one))) for one in functions]
        self._offered = tensors, generators
        return told | self._surroundings()

    def begin(self, tensors: Sequence[torch.Tensor]) -> None:
        """What is executed next is of a call with these tensors, which both sides have."""
        self._offered = list(tensors), []

    def made(self, number: Any) -> torch.Tensor:
        """The tensor of a number.

        Raises:
            AnswerError: there is none.
        """
        return self._tensor(number)

    def _call(self, function: Callable[..., Any], program: Any, told: Any) -> dict[str, Any]:
        """Call a function of the play's, behind the program that led to it."""
        self.execute(program)
        with unwatched():
            parts = [self._rebuild(one) for one in _list(told)]
        if [type(one) for one in parts] != [list, dict]:
            raise AnswerError(_NO_FORM)
        args, kwargs = parts
        return self.offer([function(*args, **kwargs)])

    def _surroundings(self) -> dict[str, Any]:
        """What holds here for operations that name none of it."""
        is_casting = torch.is_autocast_enabled("cpu")
        dtype = str(torch.get_autocast_dtype("cpu")).removeprefix("torch.")
        return {
            "autocast": dtype if is_casting else None,
            "grad": torch.is_grad_enabled(),
            "device": torch.get_default_device().type,
            "random": self._news_of(0),
        }

    def _tell_generator(self, generator: torch.Generator) -> list:
        """Its number if it has one, its state if that is another than over there, its device."""
        number = next((at for at, one in self._generators.items() if one is generator), None)
        state = _state_of(generator) if number is None else self._news_of(number)
        return [number, state, generator.device.type]

    def _news_of(self, number: int) -> np.ndarray | None:
        state, agreed = _state_of(self._generators[number]), self._agreed.get(number)
        return None if np.array_equal(state, agreed) else state

    # From the learner's side

    def execute(self, program: Any) -> None:
        """Carry out a program, under the watches that are entered.

        Raises:
            AnswerError: a step has no known form, or is none that may be carried out.
        """
        steps = read_program(program)
        doing = {
            "do": self._do,
            "take": self._take,
            "free": self._free,
            "look": self._look,
            "cpu": self._to_host,
            "constant": self._make_constant,
            "generator": self._make_generator,
            "state": self._set_state,
        }
        with torch.no_grad(), torch.autocast("cpu", enabled=False):
            for step in steps:
                kind = step[0] if type(step) is list and step else None
                if type(kind) is not str or kind not in doing:
                    raise AnswerError(_NO_FORM)
                try:
                    doing[kind](*step[1:])
                except TypeError as fault:
                    raise AnswerError(_NO_FORM) from fault
        self._agreed = {at: _state_of(one) for at, one in self._generators.items()}

    def given_back(self, observed: Mapping[str, Any], arguments: Sequence[Any]) -> Any:
        """What a call gave; what it left in lists, dicts and arrays is put into the arguments.

        Args:
            observed: ``given`` and ``arguments``, as they were told.
            arguments: those of the call, here. To tensors the operations wrote already.

        Raises:
            AnswerError: it has no known form, or has tensors that are not here.
        """
        with unwatched():
            for mine, left in zip(arguments, _list(observed.get("arguments")), strict=False):
                if left is not None and type(mine) in (list, dict, np.ndarray):
                    _write(mine, self._rebuild(left))
            return self._rebuild(observed.get("given"))

    def _rebuild(self, told: Any) -> Any:
        return rebuild_holding(told, self._own)

    def _own(self, told: list) -> Any:
        if len(told) == 2 and told[0] == "tensor":
            return self._tensor(told[1])
        if len(told) == 2 and told[0] == "kept" and type(told[1]) is int:
            return Kept(told[1])
        raise AnswerError(_NO_FORM)

    def _tensor(self, number: Any) -> torch.Tensor:
        if type(number) is not int or number not in self._tensors:
            raise AnswerError("an operation was given a tensor that is not there")
        return self._tensors[number]

    def _generator(self, number: Any) -> torch.Generator:
        if type(number) is not int or number not in self._generators:
            raise AnswerError("an operation was given a generator that is not there")
        return self._generators[number]

    def _hold(self, number: Any, tensor: torch.Tensor) -> None:
        self._require_room(number)
        self._tensors[number] = tensor

    def _require_room(self, number: Any) -> None:
        if type(number) is not int:
            raise AnswerError(_NO_FORM)
        if len(self._tensors) >= MOST_HELD or len(self._generators) >= _MOST_GENERATORS:
            raise AnswerError(f"a program holds more than {MOST_HELD:,} tensors")

    # Steps

    def _do(self, name: Any, overload: Any, given: Any, named: Any, made: Any) -> None:
        if not (type(name) is type(overload) is str and name.startswith("aten::")):
            raise AnswerError(_NO_FORM)
        operation = find_operation(name.removeprefix("aten::"), overload)
        args = [self._operand(one, 0) for one in _list(given)]
        kwargs = {_text(key): self._operand(one, 0) for key, one in _list(named)}
        require_bounds(operation, args, kwargs)
        try:
            result = operation(*args, **kwargs)
        except (RuntimeError, IndexError, TypeError, ValueError) as fault:
            first = (str(fault).strip().splitlines() or [""])[0][:160]
            raise AnswerError(f"the operation `{name[:60]}` failed: {first}") from fault
        for number, one in zip(_list(made), tree_leaves(result), strict=False):
            if number is not None and isinstance(one, torch.Tensor):
                self._hold(number, one)

    def _operand(self, told: Any, depth: int) -> Any:
        if type(told) in _PLAIN:
            return told
        if type(told) is not list or len(told) < 2 or depth > _DEEPEST:
            raise AnswerError(_NO_FORM)
        kind, inside, *more = told
        if kind == "tensor":
            return self._tensor(inside)
        if kind == "generator":
            return self._generator(inside)
        if kind == "list" and type(inside) is list:
            return [self._operand(one, depth + 1) for one in inside]
        if kind == "complex" and len(more) == 1:
            return complex(inside, *more)
        if kind == "dtype":
            return dtype_named(inside)
        if kind == "device" and inside in DEVICES:
            return torch.device(inside)
        for name, known in (("layout", _LAYOUTS), ("memory_format", _FORMATS)):
            if kind == name and type(inside) is str and inside in known:
                return known[inside]
        raise AnswerError(_NO_FORM)

    def _take(self, numbers: Any, generators: Any) -> None:
        """The operands that were offered last get the numbers that they have over there."""
        (tensors, chances), self._offered = self._offered, ([], [])
        for number, tensor in zip(_list(numbers), tensors, strict=False):
            self._hold(number, tensor)
        for number, generator in zip(_list(generators), chances, strict=False):
            self._require_room(number)
            self._generators[number] = generator

    def _free(self, number: Any) -> None:
        if type(number) is int:
            self._tensors.pop(number, None)

    def _look(self, number: Any, beside: Any, *lies: Any) -> None:
        tensor, place = self._tensor(beside), storage_places(*lies)
        try:
            self._hold(number, tensor.as_strided(*place))
        except RuntimeError as fault:
            raise AnswerError("a tensor does not lie in its memory") from fault

    def _to_host(self, number: Any, of: Any) -> None:
        self._hold(number, self._tensor(of).cpu())

    def _make_constant(self, number: Any, told: Any) -> None:
        """A watch sees it where it comes to another device than the host."""
        for tensor in rebuild_tensors(told)[:1]:
            on_host = tensor.device.type == "cpu"
            self._hold(number, tensor if on_host else torch.ops.aten.lift_fresh.default(tensor))

    def _make_generator(self, number: Any, state: Any) -> None:
        self._require_room(number)
        self._generators[number] = torch.Generator()
        self._set_state(number, state)

    def _set_state(self, number: Any, state: Any) -> None:
        generator = self._generator(number)
        try:
            require_torch_state(state)
            with unwatched():
                generator.set_state(torch.from_numpy(state))
        except (RuntimeError, ValueError) as fault:
            raise AnswerError("a random generator arrived in a form that none has") from fault


def _place_in(found: list[Any], value: Any) -> int:
    """The place of a value in a list, to which it is added if it is not there."""
    for at, one in enumerate(found):
        if one is value:
            return at
    found.append(value)
    return len(found) - 1


def _state_of(generator: torch.Generator) -> np.ndarray:
    with torch._C.DisableTorchFunction():
        return generator.get_state().numpy()


def _text(value: Any) -> str:
    if type(value) is not str:
        raise AnswerError(_NO_FORM)
    return value


def _is_as(mine: Any, theirs: Any) -> bool:
    """Whether a list or dict has the same tensors in it, and all else is alike."""
    if type(mine) is not type(theirs):
        return False
    if type(mine) is dict:
        return list(mine) == list(theirs) and _is_as(list(mine.values()), list(theirs.values()))
    if type(mine) in (list, tuple):
        return len(mine) == len(theirs) and all(map(_is_as, mine, theirs))
    if isinstance(mine, torch.Tensor):
        return mine is theirs
    return np.array_equal(mine, theirs) if type(mine) is np.ndarray else bool(mine == theirs)


def _write(mine: Any, theirs: Any) -> None:
    if type(mine) is np.ndarray:
        write_back(mine, theirs)
    elif type(mine) is type(theirs) is list and not _is_as(mine, theirs):
        mine[:] = theirs
    elif type(mine) is type(theirs) is dict and not _is_as(mine, theirs):
        mine.clear()
        mine.update(theirs)


def _list(value: Any) -> list:
    if type(value) is not list:
        raise AnswerError(_NO_FORM)
    return value
