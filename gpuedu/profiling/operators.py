"""Every operator of a step, with the line that called it, and the memory that it takes.

``OperatorWatch`` is the lessons' ``LiveCounter``: a dispatch mode, which sees the backward pass
too. Views and allocations launch nothing, and are left out, as in ``gpuedu.profiles.computing``. An
operator is at least one launch; some are several kernels on a GPU.

What it simplifies: a call inside code that ``torch.compile`` made is not seen, which is why the
counted steps run uncompiled. FLOP are those of ``torch.utils.flop_counter`` (matrix products,
convolutions, attention), which counts nothing for elementwise work.
"""

from __future__ import annotations

import sys
import threading
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import (
    _get_current_dispatch_mode_stack,
    _pop_mode,
    _push_mode,
)
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry

from gpuedu.profiles.computing import NO_WORK
from gpuedu.profiling.calls import CallWatch
from gpuedu.profiling.records import Memory, Operator
from gpuedu.training.call_sites import CallSite, find_caller
from gpuedu.training.memory.counter import LiveCounter
from gpuedu.training.memory.reading import ledger_at, peak
from gpuedu.training.memory.records import MemoryTrace

_PRODUCTS = ("mm", "addmm", "bmm", "baddbmm")
_HALVES = (torch.float16, torch.bfloat16)
_WIDE = (torch.float64, torch.complex128)
_LASTING = ("weights", "buffers", "gradients", "optimizer", "batch")


class OperatorWatch(LiveCounter):
    """Notes each operator on the device while it is entered.

    Attributes:
        operators: those that compute.
        step: the number of the running step.
        is_update, is_loop: whether an optimizer is running, and whether it loops only on a CPU.
    """

    own_files = (*CallWatch.own_files, __file__, sys.modules[LiveCounter.__module__].__file__ or "")

    def __init__(self, calls: CallWatch, device: torch.device) -> None:
        super().__init__(device, layer=lambda: self._line, on_birth=lambda: None)
        self.operators: list[Operator] = []
        self.step = 0
        self.is_update = self.is_loop = False
        self.places: dict[str, CallSite] = {}
        self._calls = calls
        self._thread = threading.get_ident()
        self._line = ""
        self._starts: list[tuple[int, int]] = []

    def begin_step(self, number: int) -> None:
        """A step begins; what is created from here on belongs to it."""
        self.step = number
        self._starts.append((number, self.ticks))

    def set_aside(self) -> None:
        """Take this mode out of PyTorch's stack, wherever it is."""
        if not any(one is self for one in _get_current_dispatch_mode_stack()):
            return
        above = []
        while (top := _pop_mode()) is not self:
            above.append(top)
        for one in reversed(above):
            _push_mode(one)

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Run the operator, count what it made, and note it."""
        kwargs = kwargs or {}
        site = None if self._calls.is_on_host else self._site()
        if site is None or not self._is_here(args, kwargs):
            return func(*args, **kwargs)
        self._line = f"{site.file}:{site.line}"
        self.places.setdefault(self._line, site)
        start_s = self._calls.now()
        result = super().__torch_dispatch__(func, types, args, kwargs)
        if _computes(func):
            end_s = self._calls.now()
            self.operators.append(self._operator(func, args, kwargs, result, site, start_s, end_s))
        return result

    def _site(self) -> CallSite | None:
        if threading.get_ident() != self._thread:  # the backward pass on a GPU has its own thread
            return self._calls.backward_site
        return find_caller(sys._getframe(1), own_file=self.own_files)

    def _is_here(self, args: Any, kwargs: Any) -> bool:
        """Whether an operator is the device's: a stand-in's tensor that nobody knows is there."""
        placement = self._calls.placement
        tensors = [one for one in tree_leaves((args, kwargs)) if isinstance(one, Tensor)]
        here = [one for one in tensors if one.device.type == self.device.type]
        named = kwargs.get("device")
        is_named = named is not None and torch.device(named).type == self.device.type
        if not placement.stand_in:
            return is_named or bool(here)
        # Without tensors the call made one, and the calls' watch knows for which side.
        return any(map(placement.is_on_device, here)) or not tensors

    def _operator(
        self,
        func: Any,
        args: Any,
        kwargs: Any,
        result: Any,
        site: CallSite,
        start_s: float,
        end_s: float,
    ) -> Operator:
        given = [one for one in tree_leaves((args, kwargs)) if isinstance(one, Tensor)]
        made = [one for one in tree_leaves(result) if isinstance(one, Tensor)]
        part = "update" if self.is_update else "backward" if _in_backward() else "forward"
        first = next(iter(made or given), None)
        name = func._overloadpacket.__name__
        return Operator(
            name=name,
            site=site,
            step=self.step,
            start_s=start_s,
            time_s=end_s - start_s,
            part=part,
            elements=max((one.numel() for one in (*given, *made)), default=0),
            flop=_flop(func, args, kwargs, result),
            dtype=str(first.dtype).removeprefix("torch.") if first is not None else "",
            is_loop=self.is_loop,
            is_odd=part == "forward" and name in _PRODUCTS and _is_odd(given[-2:]),
            is_widening=_is_wide(made) and not _is_wide(given, least=0),
        )

    # Memory

    def name(self, kind: str, tensor: Tensor | None) -> None:
        """Say what a tensor is: one of ``gpuedu.training.memory.KINDS``."""
        if tensor is None:
            return
        self.adopt(tensor, kind=kind, size_bytes=tensor.nbytes if kind == "batch" else None)
        block = self.block_of(tensor)
        if block is not None:
            block.become(kind, "")

    def memory(self) -> Memory | None:
        """What held how much at the peak, and what each step left behind."""
        if not self.blocks:
            return None
        trace = MemoryTrace(tuple(one.as_block() for one in self.blocks), (), self.ticks)
        grown: dict[int, int] = {}
        lines: dict[str, int] = {}
        numbers = [number for number, _ in self._starts]
        for block in trace.blocks:
            if block.freed is None and block.kind not in _LASTING:
                step = self._step_of(block.born)
                if step in numbers[:-2]:  # a variable may still hold the last one or two
                    grown[step] = grown.get(step, 0) + block.size_bytes
                    lines[block.layer] = lines.get(block.layer, 0) + block.size_bytes
        is_steady = len(numbers) > 3 and len(grown) >= 0.8 * (len(numbers) - 2)
        worst = max(lines, key=lambda line: lines[line], default="")
        return Memory(
            peak=ledger_at(trace, peak(trace).tick),
            grown_bytes=sum(grown.values()) / len(grown) if is_steady else 0.0,
            grown_at=self.places.get(worst) if is_steady else None,
            places=dict(self.places),
        )

    def _step_of(self, tick: int) -> int:
        return next((number for number, start in reversed(self._starts) if start <= tick), 0)


def _computes(func: Any) -> bool:
    if func.namespace != "aten":
        return func.namespace not in ("prim", "prims", "profiler", "autograd")
    name = func._overloadpacket.__name__
    # A dispatch mode sees the copy itself, where the profiler sees `copy_` inside of it.
    return name == "_to_copy" or name not in NO_WORK


def _in_backward() -> bool:
    return torch._C._current_graph_task_id() != -1


def _is_odd(factors: list[Tensor]) -> bool:
    if len(factors) < 2 or factors[0].dtype not in _HALVES:
        return False
    return bool(factors[1].shape[-2] % 8 or factors[1].shape[-1] % 8)


def _is_wide(tensors: list[Tensor], *, least: int = 2) -> bool:
    return any(one.dtype in _WIDE and one.numel() >= least for one in tensors)


def _flop(func: Any, args: Any, kwargs: Any, result: Any) -> int:
    packet = func._overloadpacket
    name = packet.__name__
    if name == "_scaled_dot_product_flash_attention_for_cpu":
        return _attention_flop(*args[:3])
    if name == "_scaled_dot_product_flash_attention_for_cpu_backward":
        return 5 * _attention_flop(*args[1:4]) // 2  # five products of that size, not two
    formula = flop_registry.get(packet)
    if formula is None:
        return 0
    try:
        return int(formula(*args, **kwargs, out_val=result))
    except (AssertionError, ArithmeticError, LookupError, TypeError, ValueError):
        return 0  # a shape that the formula does not know is no reason to stop somebody's script


def _attention_flop(query: Tensor, key: Tensor, value: Tensor) -> int:
    """Scores and weighted values: 2 FLOP for each number of each pair."""
    texts, heads, length, width = query.shape
    return 2 * texts * heads * length * key.shape[2] * (width + value.shape[-1])
