"""The machine's side: carries out programs on the play's own tensors, if they are allowed.

Whatever arrives here was made by untrusted code. It becomes operations from a list, on existing
tensors and numbers. The sandbox limits how much memory and time they take.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from gpuedu.errors import AnswerError
from gpuedu.grading.chance import require_torch_state
from gpuedu.grading.player.operations.operands import (
    DEVICES,
    dtype_named,
    rebuild_tensors,
    storage_places,
)
from gpuedu.grading.player.operations.programs import read_program
from gpuedu.training.dispatch import unwatched
from gpuedu.training.operations.allowed import find_operation
from gpuedu.training.operations.bounds import begins_inside, require_bounds

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
_NO_FORM = "an operation arrived in an unknown form"


class OperationExecutor:
    """Tensors by number, as a learner's process knows them, and what it does to them."""

    def __init__(self) -> None:
        self._tensors: dict[int, torch.Tensor] = {}
        self._generators: dict[int, torch.Generator] = {0: torch.default_generator}
        self._offered: tuple[list[torch.Tensor], list[torch.Generator]] = [], []

    def begin(self, tensors: Sequence[torch.Tensor], generators: Sequence[torch.Generator]) -> None:
        """What is executed next belongs to a call with these, which both sides have."""
        self._offered = list(tensors), list(generators)

    def made(self, number: Any) -> torch.Tensor:
        """The tensor with a number.

        Raises:
            AnswerError: there is none.
        """
        return self._tensor(number)

    def execute(self, program: Any) -> None:
        """Carry out a program, under the watches that are entered.

        Raises:
            AnswerError: a step has no known form, or is not allowed.
        """
        steps = read_program(program)
        doing = {
            "do": self._do,
            "take": self._take,
            "free": self._free,
            "end": self._end,
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

    def _end(self, number: Any) -> None:
        if type(number) is int and number:
            self._generators.pop(number, None)

    def _look(self, number: Any, beside: Any, *lies: Any) -> None:
        tensor, place = self._tensor(beside), storage_places(*lies)
        try:
            if not begins_inside(tensor, place[-1]):
                raise RuntimeError
            self._hold(number, tensor.as_strided(*place))
        except RuntimeError as fault:
            raise AnswerError("a tensor lies outside its memory") from fault

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
            raise AnswerError("a random generator arrived in an unknown form") from fault


def _text(value: Any) -> str:
    if type(value) is not str:
        raise AnswerError(_NO_FORM)
    return value


def _list(value: Any) -> list:
    if type(value) is not list:
        raise AnswerError(_NO_FORM)
    return value
