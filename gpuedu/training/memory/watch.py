"""Watch a model's memory: every storage from birth to end, and whose it is."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import Any

from torch import Tensor, nn
from torch.optim import Optimizer
from torch.utils._pytree import tree_leaves

from gpuedu.training.memory.allocator import Allocator, allocator_of
from gpuedu.training.memory.counter import LiveCounter
from gpuedu.training.memory.layers import LayerStack
from gpuedu.training.memory.named_tensors import named_tensors
from gpuedu.training.memory.records import Mark, MemoryTrace, Reading
from gpuedu.training.memory.saving import SavedTensors
from gpuedu.training.parameters import device_of


class MemoryWatch:
    """Watches while it is entered; then ``trace()`` returns what it saw.

    On the CPU every byte is counted, storage by storage. On a GPU the same count says whose the
    bytes are, and the allocator, read at each birth, says how many there are; there, take one step
    before you watch, so that the libraries have their workspaces, which are left out. A budget
    makes any device small: passing it raises ``SimulatedOutOfMemoryError``, as a full GPU raises
    its own error.

    Args:
        model: its parameters give the device; its layers are named in the trace.
        optimizer: whose state is counted separately.
        budget_bytes: the most that may be live, including the model and the optimizer's state.
        allocator: read at each birth; by default the GPU's own.
        tells_saved: whether what is saved for the backward pass is distinguished from other
            results, and overwriting it is refused. ``torch.func`` does not work with it.

    Raises:
        NoParametersError: for a model without parameters.
        SimulatedOutOfMemoryError: also on entering, if the model alone passes the budget.

    >>> import torch
    >>> from gpuedu.training.memory.reading import ledger_at, end_of
    >>> model = nn.Linear(100, 10, bias=False)
    >>> with MemoryWatch(model) as watch:
    ...     watch.enter_phase("forward")
    ...     loss = model(torch.ones(8, 100)).square().sum()
    ...     watch.enter_phase("backward")
    ...     loss.backward()
    >>> ledger = ledger_at(watch.trace(), end_of(watch.trace(), "forward"))
    >>> ledger.of_kind("weights"), ledger.of_kind("activations")   # the inputs, and what is squared
    (4000, 3520)
    """

    def __init__(
        self,
        model: nn.Module,
        optimizer: Optimizer | None = None,
        *,
        budget_bytes: int | None = None,
        allocator: Allocator | None = None,
        tells_saved: bool = True,
    ) -> None:
        self._model, self._optimizer = model, optimizer
        device = device_of(model)
        self._allocator = allocator_of(device) if allocator is None else allocator
        self._layers = LayerStack(model)
        self._counter = LiveCounter(
            device, budget_bytes=budget_bytes, layer=self._layers.current, on_birth=self._read
        )
        self._saved: AbstractContextManager[Any] = nullcontext()
        if tells_saved:
            self._saved = SavedTensors(self._counter, self._layers)
        self._marks: list[Mark] = []
        self._readings: list[Reading] = []
        self._strangers_bytes: int | None = None  # not known before the watch is entered
        self._highest: int | None = None
        self._workspace_bytes = 0
        self._open = ExitStack()

    def __enter__(self) -> MemoryWatch:
        with ExitStack() as opening:
            self._count_named_tensors()
            if self._allocator is not None:
                # What lives already and is not the model's, workspaces included, is left out.
                self._strangers_bytes = self._allocator.live_bytes() - self._counter.live_bytes
                self._allocator.forget_peak()
            opening.callback(self._close)
            opening.enter_context(self._layers)
            self._hook_gradients(opening)
            opening.enter_context(self._saved)
            opening.enter_context(self._counter)
            self._open = opening.pop_all()
        return self

    def __exit__(self, *what: Any) -> None:
        self._open.__exit__(*what)

    @property
    def live_bytes(self) -> int:
        """What is counted now."""
        return self._counter.live_bytes

    def enter_phase(self, phase: str) -> None:
        """From here on the step is in this phase, such as forward, backward or update.

        What was made in a phase called ``load`` and is still there when it ends is the batch.
        """
        self._learn()
        if self._marks and self._marks[-1].phase == "load":
            self._counter.name_living("batch", since=self._marks[-1].tick)
        self._marks.append(Mark(self._counter.ticks, phase))

    def add_batch(self, *batch: Any) -> None:
        """Count tensors, also those in tuples, lists and dicts, as what was loaded."""
        for tensor in tree_leaves(batch):
            if isinstance(tensor, Tensor):
                self._counter.adopt(tensor, kind="batch", size_bytes=tensor.nbytes)
                self._name("batch", "", tensor)

    def trace(self) -> MemoryTrace:
        """Everything that was seen so far."""
        self._learn()
        return MemoryTrace(
            blocks=tuple(block.as_block() for block in self._counter.blocks),
            marks=tuple(self._marks),
            ticks=self._counter.ticks,
            device=str(self._counter.device),
            readings=tuple(self._readings),
            highest_reading_bytes=self._highest,
            workspace_bytes=self._workspace_bytes,
            budget_bytes=self._counter.budget_bytes,
        )

    def _count_named_tensors(self) -> None:
        for kind, name, tensor in named_tensors(self._model, self._optimizer):
            self._counter.adopt(tensor, kind=kind, layer=name)

    def _learn(self) -> None:
        """Give their kind to blocks that have become gradients or an optimizer's state."""
        for held in named_tensors(self._model, self._optimizer):
            self._name(*held)

    def _hook_gradients(self, opening: ExitStack) -> None:
        """A gradient may be gone at the end of a phase: look at each when it is ready."""
        for name, parameter in self._model.named_parameters():
            if parameter.requires_grad and parameter.is_leaf:
                handle = parameter.register_post_accumulate_grad_hook(
                    lambda owner, name=name: self._name("gradients", name, owner.grad)
                )
                opening.callback(handle.remove)

    def _name(self, kind: str, name: str, tensor: Tensor | None) -> None:
        block = None if tensor is None else self._counter.block_of(tensor)
        if block is not None:
            block.become(kind, name)

    def _read(self) -> None:
        # Only when something was made: a block's end is told a little before its bytes are free.
        if self._allocator is not None and self._strangers_bytes is not None:
            live_bytes = self._allocator.live_bytes() - self._strangers_bytes
            self._readings.append(Reading(self._counter.ticks - 1, live_bytes))

    def _close(self) -> None:
        self._learn()
        self._counter.close()
        if self._allocator is not None and self._strangers_bytes is not None:
            self._highest = self._allocator.peak_bytes() - self._strangers_bytes
            self._workspace_bytes = self._allocator.release_workspaces()
