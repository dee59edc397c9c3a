"""The training loop that the lessons share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from gpuedu.training.errors import TrainingError
from gpuedu.training.first_step import (
    require_finite_loss,
    require_gradients,
    require_loss,
    require_output,
)
from gpuedu.training.history import History, StepRecord
from gpuedu.training.hooks import Hook
from gpuedu.training.interruption import finish_first
from gpuedu.training.parameters import device_of, require_parameters
from gpuedu.training.stopwatch import Stopwatch
from gpuedu.training.streams import stream

Loss = Callable[[Tensor, Tensor], Tensor]


def train(
    model: nn.Module,
    batches: Iterable[Any],
    loss: Loss,
    optimizer: Optimizer,
    *,
    steps: int,
    scheduler: Any = None,
    hooks: Sequence[Hook] = (),
) -> History:
    """Take ``steps`` steps, and record each one's loss, learning rate and time.

    The model is trained where it is: batches are moved to its device. Losses stay on the device
    until the run is over, so no step but the first waits for it. The first step is checked closely:
    what is wrong with it is named with a likely cause.

    An interruption ends the run after the update at hand: the model, the optimizer and the steps
    done so far are kept, ``interrupted`` is True, and a run can go on from there.

    Args:
        model: gives outputs for inputs; left in training mode.
        batches: pairs ``(inputs, targets)``; restarted when it ends, unless it is a generator.
        loss: one number from outputs and targets.
        optimizer: over the model's parameters.
        steps: how many, from 0.
        scheduler: its ``step()`` follows each update, if there is one.
        hooks: told about each phase of each step.

    Raises:
        TrainingError: a subclass for each fault (``gpuedu.training.errors``); its ``history`` holds
            the steps done before it.

    >>> from gpuedu.training import MLP, Batches, load_digits, seed_all
    >>> seed_all(0)
    >>> model = MLP(64, 10)
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    >>> batches = Batches(load_digits().train, 64)
    >>> history = train(model, batches, nn.functional.cross_entropy, optimizer, steps=50)
    >>> len(history), history.losses[-1] < history.losses[0]
    (50, True)
    """
    require_parameters(model, optimizer)
    model.train()
    run = _Run(model, loss, optimizer, scheduler, hooks)
    interrupted = False
    try:
        with run.hooked():
            coming = stream(batches)
            for step in range(steps):
                run.take_step(step, coming)
    except TrainingError as fault:
        fault.history = run.history(interrupted=False)
        raise
    except KeyboardInterrupt:
        optimizer.zero_grad(set_to_none=True)  # what was cut short may be half a gradient
        interrupted = True
    return run.history(interrupted=interrupted)


class _Run:
    """One run: what it works on, and what it has recorded."""

    def __init__(
        self,
        model: nn.Module,
        loss: Loss,
        optimizer: Optimizer,
        scheduler: Any,
        hooks: Sequence[Hook],
    ) -> None:
        self.model, self.loss, self.optimizer = model, loss, optimizer
        self.scheduler, self.hooks = scheduler, hooks
        self.device = device_of(model)
        self.watch = Stopwatch(self.device)
        self.done: list[tuple[Tensor, float, Any, Any, int]] = []

    @contextmanager
    def hooked(self) -> Iterator[None]:
        """Start the hooks, and stop those that were started, whatever happens."""
        started: list[Hook] = []
        try:
            for hook in self.hooks:
                started.append(hook)
                hook.start(self.model, self.optimizer)
            yield
        finally:
            for hook in reversed(started):
                hook.stop()

    def enter(self, phase: str, step: int) -> None:
        for hook in self.hooks:
            hook.enter(phase, step)

    def take_step(self, step: int, coming: Iterator[tuple[Tensor, Tensor]]) -> None:
        """One step of training; the first one is looked at."""
        is_first = step == 0
        start = self.watch.mark()
        self.enter("load", step)
        inputs, targets = (part.to(self.device, non_blocking=True) for part in next(coming))

        self.enter("forward", step)
        self.optimizer.zero_grad(set_to_none=True)
        outputs = self.model(inputs)
        if is_first:
            require_output(outputs, targets)
        value = self.loss(outputs, targets)
        if is_first:
            require_loss(value)
            require_finite_loss(value, self.model, inputs, outputs)

        self.enter("backward", step)
        value.backward()
        if is_first:
            require_gradients(self.model)

        self.enter("update", step)
        with finish_first():
            rate = float(self.optimizer.param_groups[0]["lr"])
            self.optimizer.step()
            if self.scheduler is not None:
                self.scheduler.step()
            self.done.append((value.detach(), rate, start, self.watch.mark(), len(targets)))

    def history(self, *, interrupted: bool) -> History:
        """What was recorded. Here, and nowhere before, the losses are brought to the host."""
        losses = (
            torch.stack([step[0].reshape(()) for step in self.done]).tolist() if self.done else []
        )
        return History(
            tuple(
                StepRecord(number, loss, rate, self.watch.seconds(start, end), samples)
                for number, (loss, (_, rate, start, end, samples)) in enumerate(
                    zip(losses, self.done, strict=True)
                )
            ),
            device=str(self.device),
            interrupted=interrupted,
        )
