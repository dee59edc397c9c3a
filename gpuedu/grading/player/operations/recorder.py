"""The learner's side: what a call carries out, operation by operation.

Nothing here is trusted: a learner's code can change all of it, and send another program.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._pytree import tree_leaves

from gpuedu.grading.player.operations.operands import (
    describe_holding,
    describe_tensors,
    rebuild_holding,
    rebuild_tensors,
    require_dense,
    storage_content,
    unwatched,
)
from gpuedu.grading.player.operations.programs import write_program

Step = list[Any]
_OF_TOOLS = ("profiler",)
"""Namespaces of operations that change nothing: they mark a time."""
_SHARING = (torch.Tensor.numpy, torch.Tensor.__array__, torch.Tensor.__dlpack__)
"""Methods that give something which lies in the memory of their tensor."""


@dataclass(frozen=True)
class _Known:
    """A tensor that has a number, and the storage that it had when it got it."""

    number: int
    tensor: weakref.ref[torch.Tensor]
    storage: int


class _Taken(NamedTuple):
    """An operand of a call, how often operations had written to it, and what was in it."""

    tensor: torch.Tensor
    version: int
    content: np.ndarray | None


class OperationRecorder:
    """Numbers tensors, and records what is done to them.

    A tensor that is no operand of the call, and no result of an operation, is recorded by value
    when an operation first takes it. Its memory, and that of which an array was asked for, is
    looked at from then on: what is written to it by no operation is a step. The end of a tensor is
    a step, too; that of the last one in
    its memory only when the memory itself ends, which what is saved for backward may share.

    Args:
        find: a function of the other side's, by what was told of it; without it there is none.
    """

    def __init__(self, find: Callable[[Any], Any] = lambda told: None) -> None:
        self._find = find
        self._steps: list[Step] = []
        self._next = 1
        self._known: dict[int, _Known] = {}
        self._in_storage: dict[int, dict[int, _Known]] = {}
        self._last: dict[int, tuple[int, torch.dtype]] = {}
        self._ends: dict[int, weakref.finalize] = {}
        self._shared: dict[int, np.ndarray | None] = {}
        self._is_paused = self._is_watching = False
        self._generator_numbers: dict[int, int] = {torch.default_generator._cdata: 0}
        self._states: dict[int, torch.Tensor] = {}
        self._kept: list[Any] = []
        self._taken: list[_Taken] = []
        self._arguments: list[Any] = []
        self._are_kept: list[bool] = []
        self._given: Any = None
        self._of_number: dict[int, torch.Generator] = {0: torch.default_generator}

    def program(self) -> dict[str, Any]:
        """What was recorded since this was last asked, as a message has it.

        What the call took and gave is let go of behind that: the other side has to find it first.
        """
        steps, self._steps = self._steps, []
        self._arguments, self._taken, self._given = [], [], None
        return write_program(steps)

    def take(self, told: Mapping[str, Any]) -> list[Any]:
        """The values of a message from the other side; their tensors get numbers."""
        tensors = rebuild_tensors(told)
        numbers = [self._register(one).number for one in tensors]
        self._taken = [_Taken(one, one._version, storage_content(one)) for one in tensors]
        generators = [self._take_generator(*one) for one in told["generators"]]
        taken = [self._generator_number(one) for one in generators]
        self._steps.append(["take", numbers, taken])
        lent = [self._lent(self._find(one)) for one in told["functions"]]
        own = {"tensor": tensors, "generator": generators, "kept": self._kept, "function": lent}
        values = told["values"]
        self._arguments = [rebuild_holding(one, lambda of: own[of[0]][of[1]]) for one in values]
        self._are_kept = [one[:2] == ["own", "kept"] for one in values]
        return list(self._arguments)

    def begin(self, tensors: Sequence[torch.Tensor]) -> None:
        """What is recorded from now on is of a call with these tensors, which both sides have."""
        numbers = [(self._found(one) or self._register(one)).number for one in tensors]
        self._taken = [_Taken(one, one._version, storage_content(one)) for one in tensors]
        self._steps.append(["take", numbers, []])
        self._shared = {
            storage: storage_content(tensor) for storage, tensor in self._living_shared()
        }
        self._states = {at: one.get_state() for at, one in self._of_number.items()}

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record what is done inside, also where it is inside of a pause."""
        before = self._is_paused, self._is_watching
        nothing = nullcontext(), nullcontext()
        watch, arrays = nothing if self._is_watching else (_Watch(self), _Arrays(self))
        self._is_paused, self._is_watching = False, True
        try:
            with arrays, watch:
                yield
        finally:
            self._is_paused, self._is_watching = before

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Record nothing of what is done inside, which the other side does by itself."""
        before, self._is_paused = self._is_paused, True
        try:
            yield
        finally:
            self._is_paused = before

    def end(self) -> dict[str, Any]:
        """The program since ``begin``; then what no operation wrote is in it, too."""
        self._tell_written()
        for number in list(self._of_number):
            self._tell_state(number)
        return self.program()

    def number_of(self, tensor: torch.Tensor) -> int:
        """The number of a tensor that was made; what no operation made is told by value."""
        with unwatched():
            return self._number(tensor)

    def _lent(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """A function of the other side's: it is called there, behind what was recorded so far."""

        def lent(*args: Any, **kwargs: Any) -> Any:
            told = [self._tell(list(args)), self._tell(kwargs)]
            self._tell_shared()
            steps, self._steps = self._steps, []
            answer = call(write_program(steps), told)
            tensors = rebuild_tensors(answer)
            self._steps.append(["take", [self._register(one).number for one in tensors], []])
            return rebuild_holding(answer["values"][0], lambda of: tensors[of[1]])

        return lent

    def left(self) -> list[list | None]:
        """What a call left in lists, dicts and arrays that it was given."""
        pairs = zip(self._arguments, self._are_kept, strict=True)
        return [
            self._tell(one) if _is_changeable(one) and not kept else None for one, kept in pairs
        ]

    def give(self, value: Any, *, keeps: bool = False) -> list:
        """What a call gave, its tensors by number; what is kept here, as a number alone."""
        self._given = value
        if keeps:
            self._kept.append(value)
            return ["own", "kept", len(self._kept) - 1]
        return self._tell(value)

    def _tell(self, value: Any) -> list:
        return describe_holding(value, self._tell_tensor)

    def _tell_tensor(self, value: Any) -> list | None:
        return ["tensor", self._number(value)] if isinstance(value, torch.Tensor) else None

    @contextmanager
    def watch(self, surroundings: Mapping[str, Any]) -> Iterator[None]:
        """Record what is done inside, in the surroundings that the other side has."""
        if surroundings["random"] is not None:
            torch.set_rng_state(torch.from_numpy(surroundings["random"]))
        self._states = {at: one.get_state() for at, one in self._of_number.items()}
        dtype = getattr(torch, surroundings["autocast"] or "float32")
        cast = torch.autocast("cpu", dtype, enabled=surroundings["autocast"] is not None)
        device = torch.device(surroundings["device"])
        with (
            torch.set_grad_enabled(surroundings["grad"]),
            cast,
            _default(device),
            _Cpu(self),
            _Arrays(self),
            _Watch(self),
        ):
            yield
            self._tell_written()
        for number in self._of_number:
            self._tell_state(number)

    def _tell_written(self) -> None:
        """What came into a tensor by no operation, such as by an array that shares its memory."""
        self._tell_shared()
        for tensor, version, content in self._taken:
            if tensor._version == version and not np.array_equal(storage_content(tensor), content):
                with unwatched():
                    written = tensor.detach().clone()
                given = [["tensor", self._number(one)] for one in (tensor, written)]
                self._steps.append(["do", "aten::copy_", "default", given, [], []])

    def share(self, tensor: torch.Tensor) -> None:
        """Look at the memory of a tensor from now on: something else may write to it, too."""
        if self._is_paused:
            return
        with unwatched():
            self._number(tensor)
            storage = tensor.untyped_storage()._cdata
            if storage not in self._shared:
                self._shared[storage] = storage_content(tensor)

    def _living_shared(self) -> list[tuple[int, torch.Tensor]]:
        """Memory that is looked at, each with a tensor in it."""
        found = []
        for storage in self._shared:
            inside = (one.tensor() for one in self._in_storage.get(storage, {}).values())
            tensor = next((one for one in inside if one is not None), None)
            if tensor is not None:
                found.append((storage, tensor))
        return found

    def _tell_shared(self) -> None:
        """What was written to memory that is looked at, by no operation."""
        for _, tensor in self._living_shared():
            self._tell_memory(tensor)

    def _tell_memory(self, tensor: torch.Tensor) -> None:
        storage = tensor.untyped_storage()
        if self._shared.get(storage._cdata) is None:
            return
        content = storage_content(tensor)
        if np.array_equal(content, self._shared[storage._cdata]):
            return
        self._shared[storage._cdata] = content
        with unwatched():
            size = storage.nbytes() // tensor.element_size()
            whole = torch.empty(0, dtype=tensor.dtype).set_(storage, 0, (size,), (1,))
            written = whole.clone()  # is let go of behind the step
        given = [["tensor", self._number(one)] for one in (whole, written)]
        self._steps.append(["do", "aten::copy_", "default", given, [], []])

    def record(self, func: Any, args: tuple, kwargs: Mapping[str, Any]) -> Any:
        """Carry an operation out, and note it."""
        if func.namespace in _OF_TOOLS or self._is_paused:
            return func(*args, **kwargs)
        shared = self._shared_in((args, kwargs)) if self._shared else []
        for one in shared:
            self._number(one)
            self._tell_memory(one)
        given = [self._operand(one) for one in args]
        named = [[name, self._operand(one)] for name, one in kwargs.items()]
        chance = _chance_of(func, (*args, *kwargs.values()))
        if chance is not None:
            self._tell_state(self._generator_number(chance))
        result = func(*args, **kwargs)
        made = [self._output(one) for one in tree_leaves(result)]
        self._steps.append(["do", func._schema.name, func._overloadname, given, named, made])
        for one in shared if func._schema.is_mutable else ():
            self._shared[one.untyped_storage()._cdata] = storage_content(one)
        if chance is not None:
            self._states[self._generator_number(chance)] = chance.get_state()
        return result

    def _shared_in(self, values: Any) -> list[torch.Tensor]:
        """The tensors among some values that lie in memory that is looked at."""
        tensors = (one for one in tree_leaves(values) if isinstance(one, torch.Tensor))
        return [one for one in tensors if one.untyped_storage()._cdata in self._shared]

    def to_host(self, tensor: torch.Tensor, result: torch.Tensor) -> torch.Tensor:
        """What ``.cpu()`` gives: another tensor, also where it gave the same one."""
        if result is not tensor:
            return result
        number = self._number(tensor)
        with torch._C.DisableTorchFunction(), _disable_current_modes():
            result = tensor.view_as(tensor)
        self._steps.append(["cpu", self._register(result).number, number])
        return result

    def _output(self, value: Any) -> int | None:
        if not isinstance(value, torch.Tensor):
            return None
        require_dense(value)
        return (self._found(value) or self._register(value)).number

    def _operand(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return ["tensor", self._number(value)]
        if isinstance(value, torch.Generator):
            return ["generator", self._generator_number(value)]
        if isinstance(value, list | tuple):
            return ["list", [self._operand(one) for one in value]]
        if isinstance(value, complex):
            return ["complex", value.real, value.imag]
        for kind in (torch.dtype, torch.device, torch.layout, torch.memory_format):
            if isinstance(value, kind):
                return [kind.__name__, str(value).removeprefix("torch.")]
        return value

    def _number(self, tensor: torch.Tensor) -> int:
        """Of a tensor that was not seen: it is another look at a known one, or told by value."""
        known = self._found(tensor)
        if known is not None:
            return known.number
        require_dense(tensor)
        beside = self._beside(tensor)
        number = self._register(tensor).number
        if beside is not None:
            lies = [list(tensor.shape), list(tensor.stride()), tensor.storage_offset()]
            self._steps.append(["look", number, beside, *lies])
        else:
            self._steps.append(["constant", number, describe_tensors([tensor])])
            self._shared[tensor.untyped_storage()._cdata] = storage_content(tensor)
        return number

    def _found(self, tensor: torch.Tensor) -> _Known | None:
        known = self._known.get(id(tensor))
        is_same = known is not None and known.tensor() is tensor
        return known if is_same and known.storage == tensor.untyped_storage()._cdata else None

    def _beside(self, tensor: torch.Tensor) -> int | None:
        """The number of a tensor of the same storage and dtype."""
        last = self._last.get(tensor.untyped_storage()._cdata)
        if last is not None and last[1] == tensor.dtype:
            return last[0]
        for known in self._in_storage.get(tensor.untyped_storage()._cdata, {}).values():
            other = known.tensor()
            if other is not None and other is not tensor and other.dtype == tensor.dtype:
                return known.number
        return None

    def _register(self, tensor: torch.Tensor) -> _Known:
        number, self._next = self._next, self._next + 1
        at, storage, dtype = id(tensor), tensor.untyped_storage()._cdata, tensor.dtype

        def end(reference: weakref.ref) -> None:
            if at in self._known and self._known[at].tensor is reference:
                del self._known[at]
            inside = self._in_storage.get(storage, {})
            inside.pop(number, None)
            if inside or storage not in self._ends:
                self._steps.append(["free", number])
            else:
                if storage in self._last:
                    self._steps.append(["free", self._last[storage][0]])
                self._last[storage] = number, dtype

        if storage not in self._ends:
            ends = weakref.finalize(tensor.untyped_storage(), self._end_storage, storage)
            ends.atexit = False
            self._ends[storage] = ends

        known = _Known(number, weakref.ref(tensor, end), storage)
        self._known[at] = known
        self._in_storage.setdefault(storage, {})[number] = known
        return known

    def _end_storage(self, storage: int) -> None:
        """The memory of what is known is over, and with it the last tensor that lay there."""
        del self._ends[storage]
        self._shared.pop(storage, None)
        self._in_storage.pop(storage, None)
        if storage in self._last:
            self._steps.append(["free", self._last.pop(storage)[0]])

    # Generators

    def _take_generator(self, number: int | None, state: Any, device: str) -> torch.Generator:
        if number is not None:
            generator = self._of_number[number]
        else:
            generator = _generator_on(device)
            self._add_generator(generator)
        if state is not None:
            generator.set_state(torch.from_numpy(state))
        return generator

    def _add_generator(self, generator: torch.Generator) -> int:
        number, self._next = self._next, self._next + 1
        self._generator_numbers[generator._cdata] = number
        self._of_number[number] = generator
        return number

    def _generator_number(self, generator: torch.Generator) -> int:
        if generator._cdata not in self._generator_numbers:
            number = self._add_generator(generator)
            self._steps.append(["generator", number, generator.get_state().numpy()])
            self._states[number] = generator.get_state()
        return self._generator_numbers[generator._cdata]

    def _tell_state(self, number: int) -> None:
        """A step for a state that no operation made, such as that of a new seed."""
        state = self._of_number[number].get_state()
        if not torch.equal(state, self._states[number]):
            self._steps.append(["state", number, state.numpy()])
            self._states[number] = state


class _Cpu(TorchFunctionMode):
    """Hands each ``.cpu()`` to the recorder, which is no operation where all is on the CPU."""

    def __init__(self, recorder: OperationRecorder) -> None:
        super().__init__()
        self._recorder = recorder

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        return self._recorder.to_host(args[0], result) if func is torch.Tensor.cpu else result


class _Arrays(TorchFunctionMode):
    """Tells the recorder of tensors of which an array is asked for."""

    def __init__(self, recorder: OperationRecorder) -> None:
        super().__init__()
        self._recorder = recorder

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        if func in _SHARING:
            self._recorder.share(args[0])
        return result


class _Watch(TorchDispatchMode):
    """Hands each operation to the recorder."""

    def __init__(self, recorder: OperationRecorder) -> None:
        super().__init__()
        self._recorder = recorder

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        return self._recorder.record(func, args, kwargs or {})


def _chance_of(func: Any, given: tuple) -> torch.Generator | None:
    """The generator that an operation draws from; None for one that does not draw."""
    for one in given:
        if isinstance(one, torch.Generator):
            return one
    draws = torch.Tag.nondeterministic_seeded in func.tags
    return torch.default_generator if draws else None


def _is_changeable(value: Any) -> bool:
    return type(value) in (list, dict, np.ndarray)


@contextmanager
def _default(device: torch.device) -> Iterator[None]:
    """Tensors go to another device than the CPU, where it is another."""
    if device.type == "cpu":
        yield
        return
    with device:
        yield


def _generator_on(device: str) -> torch.Generator:
    """A generator of the CPU, which may say that it is of another device."""
    if device == "cpu":
        return torch.Generator()
    return type("Generator", (torch.Generator,), {"device": torch.device(device)})()
