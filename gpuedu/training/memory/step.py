"""The memory of one training step: taken on its own, or within a run by a hook."""

from __future__ import annotations

from collections.abc import Callable, Container

from torch import Tensor, nn
from torch.optim import Optimizer

from gpuedu.training.hooks import Hook
from gpuedu.training.memory.records import MemoryTrace
from gpuedu.training.memory.watch import MemoryWatch
from gpuedu.training.parameters import device_of


def watch_step(
    model: nn.Module,
    batch: tuple[Tensor, Tensor],
    loss: Callable[[Tensor, Tensor], Tensor],
    optimizer: Optimizer,
    *,
    warmup: int = 1,
    budget_bytes: int | None = None,
) -> MemoryTrace:
    """Take ``warmup`` steps and one more on a batch; the trace is of the last one.

    Its phases are ``forward``, ``backward`` and ``update``. After a warm-up the optimizer's state
    and, on a GPU, the libraries' workspaces are there before watching starts, as in any later step
    of a run. The gradients of the step before are freed first.

    Args:
        model: trained by ``warmup + 1`` steps, where it is.
        batch: inputs and targets; brought to the model's device.
        loss: one number from outputs and targets.
        optimizer: over the model's parameters.
        warmup: steps before the one that is watched.
        budget_bytes: the most that may be live in the watched step.

    Raises:
        SimulatedOutOfMemoryError: if the step passes the budget; the model's gradients are then
            freed, and it can still be used.

    >>> import torch
    >>> from gpuedu.training import MLP
    >>> from gpuedu.training.memory import end_of, ledger_at
    >>> model = MLP(64, 10, hidden=(32,))
    >>> batch = torch.rand(16, 1, 8, 8), torch.zeros(16, dtype=torch.long)
    >>> sgd = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    >>> trace = watch_step(model, batch, nn.functional.cross_entropy, sgd)
    >>> ledger = ledger_at(trace, end_of(trace, "backward"))
    >>> [ledger.of_kind(kind) // 4 for kind in ("weights", "gradients", "optimizer")]
    [2410, 2410, 2410]
    """
    device = device_of(model)
    inputs, targets = (part.to(device) for part in batch)
    for _ in range(warmup):
        _take_step(model, inputs, targets, loss, optimizer, lambda phase: None)
    optimizer.zero_grad(set_to_none=True)
    try:
        with MemoryWatch(model, optimizer, budget_bytes=budget_bytes) as watch:
            watch.add_batch(inputs, targets)
            _take_step(model, inputs, targets, loss, optimizer, watch.enter_phase)
    except BaseException:
        optimizer.zero_grad(set_to_none=True)
        raise
    return watch.trace()


def _take_step(
    model: nn.Module,
    inputs: Tensor,
    targets: Tensor,
    loss: Callable[[Tensor, Tensor], Tensor],
    optimizer: Optimizer,
    enter_phase: Callable[[str], None],
) -> None:
    enter_phase("forward")
    optimizer.zero_grad(set_to_none=True)
    value = loss(model(inputs), targets)
    enter_phase("backward")
    value.backward()
    enter_phase("update")
    optimizer.step()


class MemoryHook(Hook):
    """Watches some steps of a run of ``train``; ``traces`` holds each one's trace.

    Args:
        steps: which ones; by default the second, when the optimizer has its state.
        budget_bytes: the most that may be live in a watched step; passing it ends the run with a
            ``SimulatedOutOfMemoryError``.

    >>> import torch
    >>> from gpuedu.training import MLP, Batches, load_digits, train
    >>> model, hook = MLP(64, 10), MemoryHook()
    >>> adam = torch.optim.Adam(model.parameters())
    >>> loader = Batches(load_digits().train, 32)
    >>> _ = train(model, loader, nn.functional.cross_entropy, adam, steps=3, hooks=[hook])
    >>> [mark.phase for mark in hook.traces[1].marks]
    ['load', 'forward', 'backward', 'update']
    """

    def __init__(self, steps: Container[int] = (1,), *, budget_bytes: int | None = None) -> None:
        self.steps, self.budget_bytes = steps, budget_bytes
        self.traces: dict[int, MemoryTrace] = {}
        self._watch: MemoryWatch | None = None

    def start(self, model: nn.Module, optimizer: Optimizer) -> None:
        """Note whose memory it is."""
        self._model, self._optimizer = model, optimizer
        self.traces = {}

    def enter(self, phase: str, step: int) -> None:
        """Start watching when a chosen step begins, and stop when the next one does."""
        if phase == "load":
            self.stop()
            if step in self.steps:
                self._begin(step)
        if self._watch is not None:
            self._watch.enter_phase(phase)

    def _begin(self, step: int) -> None:
        watch = MemoryWatch(self._model, self._optimizer, budget_bytes=self.budget_bytes)
        watch.__enter__()
        self._watch, self._step = watch, step

    def stop(self) -> None:
        """Stop watching, and keep the trace."""
        if self._watch is not None:
            self._watch.__exit__(None, None, None)
            self.traces[self._step] = self._watch.trace()
            self._watch = None
