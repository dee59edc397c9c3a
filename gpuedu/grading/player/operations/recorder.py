"""The learner's side: what a call carries out, operation by operation.

Nothing here is trusted: a learner's code can change all of it, and send another program.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_leaves

from gpuedu.grading.player.operations.numbering import GeneratorNumbers, TensorNumbers
from gpuedu.grading.player.operations.operands import (
    describe_tensors,
    require_dense,
    storage_content,
)
from gpuedu.grading.player.operations.programs import write_program
from gpuedu.grading.player.operations.sharing import SharedMemory
from gpuedu.training.dispatch import DispatchWatch, unwatched

_OF_TOOLS = ("profiler",)
"""Namespaces of operations that change nothing: they mark a time."""
_SHARING = (torch.Tensor.numpy, torch.Tensor.__array__, torch.Tensor.__dlpack__)
"""Methods that give something which lies in the memory of their tensor."""


class _Taken(NamedTuple):
    """An operand of a call, how often operations had written to it, and what was in it."""

    tensor: torch.Tensor
    version: int
    content: np.ndarray | None


class OperationRecorder:
    """Numbers tensors, and records what is done to them.

    A tensor that is neither an operand of the call nor the result of an operation is recorded by
    value when an operation first takes it. Its memory, and any memory that an array was requested
    for, is watched from then on: what is written to it outside an operation is a step. The end of a
    tensor, or of a generator, is also a step: see ``TensorNumbers``.
    """

    def __init__(self) -> None:
        self._steps: list[list] = []
        self._shared = SharedMemory()
        self._tensors = TensorNumbers(
            lambda number: self._steps.append(["free", number]), self._shared.forget
        )
        self._generators = GeneratorNumbers(lambda number: self._steps.append(["end", number]))
        self._taken: list[_Taken] = []
        self._is_watching = False
        self._is_paused = False

    def begin(self, tensors: Sequence[torch.Tensor], generators: Sequence[torch.Generator]) -> None:
        """What is recorded from now on belongs to a call with these, which both sides have."""
        numbers = [self._add_if_new(one) for one in tensors]
        self._taken = [_Taken(one, one._version, storage_content(one)) for one in tensors]
        self._steps.append(["take", numbers, [self._add_if_new(one) for one in generators]])
        self._generators.settle()
        self._shared.settle(self._tensors.in_memory)

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record what is done inside, even inside a pause."""
        before = self._is_paused, self._is_watching
        watches = [nullcontext()] * 2 if self._is_watching else [_Methods(self), _Watch(self)]
        self._is_paused, self._is_watching = False, True
        try:
            with watches[0], watches[1]:
                yield
        finally:
            self._is_paused, self._is_watching = before

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Record nothing of what is done inside; the other side does it itself."""
        before, self._is_paused = self._is_paused, True
        try:
            yield
        finally:
            self._is_paused = before

    def end(self) -> np.ndarray:
        """The program since ``begin``, including what was written outside operations."""
        with unwatched():
            self._tell_written()
        for number in self._generators.known():
            self._tell_state(number)
        steps, self._steps = self._steps, []
        self._taken = []
        return write_program(steps)

    def number_of(self, tensor: torch.Tensor) -> int:
        """The number of a tensor that was made; if no operation made it, it is sent by value."""
        with unwatched():
            return self._number(tensor)

    def _tell_written(self) -> None:
        """What came into a tensor by no operation, such as by an array that shares its memory."""
        for tensor in self._shared.tensors(self._tensors.in_memory):
            self._tell_memory(tensor)
        for tensor, version, content in self._taken:
            if tensor._version == version and not np.array_equal(storage_content(tensor), content):
                written = tensor.detach().clone()
                given = [["tensor", self._number(one)] for one in (tensor, written)]
                self._steps.append(["do", "aten::copy_", "default", given, [], []])

    def _tell_memory(self, tensor: torch.Tensor) -> None:
        """What was written to memory that is looked at, by no operation."""
        found = self._shared.written(tensor)
        if found is not None:
            given = [["tensor", self._number(one)] for one in found]
            self._steps.append(["do", "aten::copy_", "default", given, [], []])

    def share(self, tensor: torch.Tensor) -> None:
        """Watch the memory of a tensor from now on: something else may also write to it."""
        if not self._is_paused:
            with unwatched():
                self._number(tensor)
                self._shared.look_at(tensor)

    def _tell_state(self, number: int) -> None:
        """A step for a state that no operation made, such as that of a new seed."""
        state = self._generators.news(number)
        if state is not None:
            self._steps.append(["state", number, state])

    def record(self, func: Any, args: tuple, kwargs: Mapping[str, Any]) -> Any:
        """Carry an operation out, and note it."""
        if func.namespace in _OF_TOOLS or self._is_paused:
            return func(*args, **kwargs)
        shared = self._shared.among((args, kwargs))
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
            self._shared.look_at(one)
        if chance is not None:
            self._generators.news(self._generator_number(chance))
        return result

    def to_host(self, tensor: torch.Tensor, **how: Any) -> torch.Tensor:
        """What ``.cpu()`` returns: a new tensor, even where it would be the same one."""
        if self._is_paused:
            return tensor.cpu(**how)
        with torch._C.DisableTorchFunction():
            result = tensor.cpu(**how)
            if result is tensor:
                with _disable_current_modes():
                    result = tensor.view_as(tensor)
                self._steps.append(["cpu", self._tensors.add(result), self._number(tensor)])
        return result

    def _output(self, value: Any) -> int | None:
        if not isinstance(value, torch.Tensor):
            return None
        require_dense(value)
        return self._add_if_new(value)

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

    def _add_if_new(self, value: torch.Tensor | torch.Generator) -> int:
        numbers = self._tensors if isinstance(value, torch.Tensor) else self._generators
        number = numbers.find(value)
        return numbers.add(value) if number is None else number

    def _number(self, tensor: torch.Tensor) -> int:
        """Of a tensor that was not seen: it is another look at a known one, or told by value."""
        known = self._tensors.find(tensor)
        if known is not None:
            return known
        require_dense(tensor)
        beside = self._tensors.beside(tensor)
        number = self._tensors.add(tensor)
        if beside is not None:
            lies = [list(tensor.shape), list(tensor.stride()), tensor.storage_offset()]
            self._steps.append(["look", number, beside, *lies])
        else:
            self._steps.append(["constant", number, describe_tensors([tensor])])
            self._shared.look_at(tensor)
        return number

    def _generator_number(self, generator: torch.Generator) -> int:
        known = self._generators.find(generator)
        if known is not None:
            return known
        number = self._generators.add(generator)
        self._steps.append(["generator", number, generator.get_state().numpy()])
        return number


class _Methods(TorchFunctionMode):
    """Hands the recorder what is no operation: each ``.cpu()``, and arrays in a tensor's memory."""

    def __init__(self, recorder: OperationRecorder) -> None:
        super().__init__()
        self._recorder = recorder

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        call = func if func is not torch.Tensor.cpu else self._recorder.to_host
        result = call(*args, **(kwargs or {}))
        if func in _SHARING:
            self._recorder.share(args[0])
        return result


class _Watch(DispatchWatch):
    """Hands each operation to the recorder.

    In PyTorch's inference mode one that is made of others arrives whole, and not as those.
    """

    def __init__(self, recorder: OperationRecorder) -> None:
        super().__init__()
        self._recorder = recorder

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        if torch.is_inference_mode_enabled():
            with self:
                result = func.decompose(*args, **(kwargs or {}))
            if result is not NotImplemented:
                return result
        return self._recorder.record(func, args, kwargs or {})


def _chance_of(func: Any, given: tuple) -> torch.Generator | None:
    """The generator that an operation draws from; None for one that does not draw."""
    for one in given:
        if isinstance(one, torch.Generator):
            return one
    draws = torch.Tag.nondeterministic_seeded in func.tags
    return torch.default_generator if draws else None
