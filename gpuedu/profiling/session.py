"""The watching of one script: what is switched on in which step, and what is kept."""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from gpuedu.profiling.calls import CallWatch, host_clock
from gpuedu.profiling.compiling import CompileWatch
from gpuedu.profiling.evaluating import EvaluationWatch
from gpuedu.profiling.evidence import MUCH_WAITING, waiting
from gpuedu.profiling.keeping import find_kept, scopes
from gpuedu.profiling.loaders import LoaderWatch, tensors_of
from gpuedu.profiling.operators import OperatorWatch
from gpuedu.profiling.optimizers import (
    OptimizerWatch,
    is_cpu_loop,
    parameters_of,
    states_of,
)
from gpuedu.profiling.records import (
    Kept,
    Loader,
    Memory,
    Operator,
    StepTime,
    Wait,
    Watched,
)
from gpuedu.profiling.steps import (
    COUNTED,
    TIMED,
    EnoughStepsError,
    StepFinder,
    StepPlan,
)
from gpuedu.training.call_sites import CallSite, is_library_file

_watching: weakref.WeakSet[Session] = weakref.WeakSet()


def _leave_children() -> None:
    for one in list(_watching):
        one.leave_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_children)


class Session:
    """Watches the script that runs while ``watching()``; then ``result`` says what it saw.

    Args:
        plan: which steps are watched, and how.
        compile_check: ask where the model would break a graph, even if it is not compiled.
        now: the clock.
        is_blind: only count steps, and end the script after them: for ranks other than the watched
            one.
    """

    def __init__(
        self,
        plan: StepPlan,
        *,
        compile_check: bool = False,
        now: Callable[[], float] | None = None,
        is_blind: bool = False,
    ) -> None:
        has_gpu = torch.cuda.is_available()
        self._plan, self._compile_check, self._is_blind = plan, compile_check, is_blind
        self._now = host_clock() if now is None else now
        self._device = torch.device("cuda" if has_gpu else "cpu")
        self._calls = CallWatch(self._now, stand_in=not has_gpu)
        self._operators: OperatorWatch | None = None
        self._compiling = CompileWatch(is_eager=not has_gpu)
        self._evaluating = EvaluationWatch()
        self._loading = LoaderWatch(self._now, self._ask_batch, self._take_batch)
        self._finder = StepFinder(self._finish_step)
        self._steps: list[StepTime] = []
        self._waits: list[Wait] = []
        self._batches = 0
        self._step_start_s: float | None = None
        self._phase = plan.phase(1)
        self._optimizers = OptimizerWatch(
            self._finder.meet_optimizer, self._begin_update, self._end_update
        )
        self._modules = set(sys.modules)
        self._names: dict[str, Any] = {}
        self._kept: tuple[Kept, ...] = ()
        self._memory: Memory | None = None
        self._seen_operators: tuple[Operator, ...] = ()
        self._uncompiled = ExitStack()
        self.is_enough = False

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Everything is switched on here, and off again, whatever the script does."""
        with ExitStack() as open_:
            open_.enter_context(self._optimizers.watching())
            open_.enter_context(self._backwards_watched())
            if self._is_blind:
                yield
                return
            open_.enter_context(self._compiling.watching())
            open_.enter_context(self._loading.watching())
            open_.enter_context(self._evaluating.watching(self._meet_model))
            open_.callback(self._leave_calls)
            if self._calls.placement.stand_in:  # on a GPU a tensor itself tells where it lies
                self._calls.__enter__()
            _watching.add(self)
            open_.callback(self._stop_counting)
            yield

    def keep_names(self, names: dict[str, Any]) -> None:
        """The script has ended by itself: these are its variables."""
        self._names = names

    def leave_child(self) -> None:
        """In a process that the script forked (a loader's worker) nothing is watched."""
        self._calls.set_aside()
        if self._operators is not None:
            self._operators.set_aside()

    def _leave_calls(self) -> None:
        _watching.discard(self)
        torch.cuda.synchronize = self._calls._synchronize
        self._calls.set_aside()

    # Steps

    @contextmanager
    def _backwards_watched(self) -> Iterator[None]:
        given = torch.autograd.backward

        def backward(*args: Any, **kwargs: Any) -> None:
            if self._step_start_s is None:
                self._step_start_s = self._now()
            self._finder.begin_backward()
            given(*args, **kwargs)

        torch.autograd.backward = backward
        try:
            yield
        finally:
            torch.autograd.backward = given

    def _begin_update(self, optimizer: Optimizer) -> None:
        if self._step_start_s is None:
            self._step_start_s = self._now()
        # A script without a device: what it trains is taken as if it were on one.
        self._calls.placement.mark(list(parameters_of(optimizer)), on_host=False)
        if self._operators is not None:
            self._operators.is_update = True
            self._operators.is_loop = self._calls.placement.stand_in and is_cpu_loop(optimizer)
            for parameter in parameters_of(optimizer):
                self._operators.name("gradients", parameter.grad)

    def _end_update(self, optimizer: Optimizer, number: int) -> None:
        if self._operators is not None:
            self._operators.is_update = self._operators.is_loop = False
            self._name_states(optimizer)
        self._finder.end_update(number)

    def _ask_batch(self) -> None:
        if self._step_start_s is None:
            self._step_start_s = self._now()
        self._finder.ask_batch()

    def _take_batch(
        self, loader: Loader, start_s: float, end_s: float, batch: Any, site: CallSite | None
    ) -> None:
        self._batches += 1
        number = len(self._steps) + 1
        self._waits.append(Wait(loader, number, self._phase, start_s, end_s - start_s, site))
        found = tensors_of(batch)
        self._calls.placement.mark(found, on_host=True)
        if loader.pin_memory:
            self._calls.pin(found)

    def _finish_step(self) -> None:
        end_s, number = self._now(), len(self._steps) + 1
        start_s = end_s if self._step_start_s is None else self._step_start_s
        self._steps.append(StepTime(number, self._phase, start_s, end_s - start_s, self._batches))
        self._batches = 0
        phase = self._plan.phase(number + 1)
        if phase != self._phase and not self._is_blind:
            self._change(phase)
        self._phase = phase
        self._calls.step = number + 1
        if self._operators is not None:
            self._operators.begin_step(number + 1)
        if self._plan.is_last(number):
            self.is_enough = True
            raise EnoughStepsError
        self._step_start_s = self._now()

    def _change(self, phase: str) -> None:
        self._stop_counting()
        if phase == COUNTED:
            self._start_counting()
        elif phase == TIMED:
            self._calls.set_aside()
            self._loading.is_sampling = True

    # Counting

    def _start_counting(self) -> None:
        self._uncompiled.enter_context(self._compiling.uncompiled())
        self._operators = OperatorWatch(self._calls, self._device)
        if not self._calls.placement.stand_in:
            self._calls.__enter__()
        self._calls.is_counting = True
        self._calls.on_upload = lambda tensor: self._name("batch", tensor)
        self._operators.__enter__()
        for optimizer in self._optimizers.stepped():
            for parameter in parameters_of(optimizer):
                self._operators.name("weights", parameter)
            self._name_states(optimizer)
        for model in self._evaluating.models():
            self._name_model(model)

    def _name(self, kind: str, tensor: Tensor) -> None:
        if self._operators is not None:
            self._operators.name(kind, tensor)

    def _name_states(self, optimizer: Optimizer) -> None:
        for state in states_of(optimizer):
            self._name("optimizer", state)

    def _name_model(self, model: nn.Module) -> None:
        for parameter in model.parameters():
            self._name("weights", parameter)
        for buffer in model.buffers():
            self._name("buffers", buffer)

    def _stop_counting(self) -> None:
        operators, self._operators = self._operators, None
        if operators is None:
            return
        self._calls.is_counting = False
        operators.set_aside()
        self._uncompiled.close()
        steps = [one.number for one in self._steps if one.phase == COUNTED]
        self._kept = find_kept(self._calls.graphed, self._calls.carried, steps, scopes(self._names))
        self._calls.graphed.clear()
        self._memory = operators.memory()
        operators.close()
        self._seen_operators = tuple(one for one in operators.operators if one.step in steps)
        was_there = self._calls.set_aside()
        try:
            self._compiling.explain()
        finally:
            if was_there and self._calls.placement.stand_in:
                torch.overrides._push_mode(self._calls)

    def _meet_model(self, model: nn.Module) -> None:
        if self._compile_check and model.training:
            self._compiling.listen_to(model)

    # The result

    @property
    def taken(self) -> int:
        """How many steps were taken."""
        return len(self._steps)

    def result(self, script: str, end: str) -> Watched:
        """What was seen, with a sentence on how the script ended."""
        counted = {one.number for one in self._steps if one.phase == COUNTED}
        watched = Watched(
            script=script,
            device=torch.cuda.get_device_name() if self._device.type == "cuda" else "cpu",
            stand_in=self._calls.placement.stand_in,
            end=end,
            steps=tuple(self._steps),
            calls=tuple(one for one in self._calls.calls if one.step in counted),
            operators=self._seen_operators,
            waits=tuple(one for one in self._waits if one.step <= len(self._steps)),
            kept=self._kept,
            evaluations=self._evaluating.found(),
            optimizers=tuple(self._optimizers.facts),
            memory=self._memory,
            compiled=self._compiling.compiled,
            breaks=tuple(self._compiling.breaks),
            is_autocast=self._calls.is_autocast,
            is_tf32=_is_tf32(),
            is_never_moved=self._calls.placement.stand_in and not self._calls.has_moved,
            is_unwatched=self._is_blind,
            files=(script, *_own_modules(self._modules)),
            notes=tuple(self._compiling.notes),
        )
        is_starved = waiting(watched)[0] > MUCH_WAITING
        return replace(watched, slow_line=self._slow_line()) if is_starved else watched

    def _slow_line(self) -> tuple[CallSite, float] | None:
        times: dict[Loader, float] = {}
        for wait in self._waits:
            times[wait.loader] = times.get(wait.loader, 0.0) + wait.time_s
        longest = max(times, key=lambda one: times[one], default=None)
        return None if longest is None else self._loading.slow_line(longest)


def _is_tf32() -> bool:
    """Whether float32 products may use tensor cores, by either way to say so."""
    try:
        return torch.get_float32_matmul_precision() != "highest"
    except RuntimeError:  # the script said so by the newer one
        return True


def _own_modules(known: set[str]) -> Iterator[str]:
    """Files of the modules that the script imported, and that are no library's."""
    for module in [one for name, one in list(sys.modules.items()) if name not in known]:
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and file.endswith(".py") and not is_library_file(file):
            yield file


def is_watched_rank() -> bool:
    """False for a rank of torchrun's other than 0."""
    return os.environ.get("RANK", "0") == "0"
