"""The calls of PyTorch that wait or copy, and the graphs that outlive their step.

``CallWatch`` is the lessons' ``SynchronizationCounter`` with what a whole script also needs: it is
on from the script's first line, so that a stand-in's side is known, and notes only what happens in
counted steps.
"""

from __future__ import annotations

import sys
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from torch.overrides import _get_current_function_mode_stack, _pop_mode, _push_mode
from torch.utils._pytree import tree_leaves
from torch.utils.weak import WeakIdKeyDictionary

from gpuedu.profiling.records import Call
from gpuedu.training.call_sites import CallSite, find_caller, is_library
from gpuedu.training.placement import Arguments, Keywords, is_queued, named_device
from gpuedu.training.synchronizations import SynchronizationCounter

UPLOAD = "copy to the device"
QUEUED = "queued copy"
_MOVES = ("to", "cuda", "copy_")
_FACTORIES = ("tensor", "as_tensor", "arange", "linspace", "full", "zeros", "ones", "empty")
_FACTORIES += ("rand", "randn", "randint", "randperm", "eye", "new_tensor")
_MOST_NUMBERS = 1024
_TORCH = Path(torch.__file__).parent
WRAPPERS = tuple(str(_TORCH / name) for name in ("_compile.py", "_dynamo/eval_frame.py"))
"""Files of PyTorch that only wrap: around every dispatch mode, and around ``zero_grad``."""
_SET_DATA = torch.Tensor.data.__set__  # type: ignore[attr-defined]


class CallWatch(SynchronizationCounter):
    """Notes calls while ``is_counting``; ``now`` is the clock of all times.

    Attributes:
        calls: what waited or copied.
        graphed: weak references to results with a graph, each with its step and its line.
        carried: lines that continued a graph of an earlier step, each with the step.
        is_on_host: whether the running call concerns only the host.
        backward_site: the line whose backward pass is running, for threads without a Python frame.
        is_autocast: whether a watched call ran under autocast.
        has_moved: whether anything was ever sent to a device by name.
        on_upload: called with what was copied to the device.
    """

    own_files = (*SynchronizationCounter.own_files, __file__, *WRAPPERS)

    def __init__(self, now: Callable[[], float], *, stand_in: bool) -> None:
        super().__init__(stand_in=stand_in)
        self.now = now
        self.is_counting = False
        self.is_on_host = False
        self.is_autocast = False
        self.has_moved = False
        self.calls: list[Call] = []
        self.graphed: list[tuple[weakref.ref, int, CallSite]] = []
        self.carried: list[tuple[CallSite, int]] = []
        self.backward_site: CallSite | None = None
        self.on_upload: Callable[[torch.Tensor], None] = lambda tensor: None
        self._pinned: WeakIdKeyDictionary = WeakIdKeyDictionary()
        self._origins: WeakIdKeyDictionary = WeakIdKeyDictionary()
        self._call: tuple[str, Arguments, Keywords] = ("", (), {})

    def set_aside(self) -> bool:
        """Take this mode out of PyTorch's stack, wherever it is; returns whether it was there."""
        if not any(one is self for one in _get_current_function_mode_stack()):
            return False
        above = []
        while (top := _pop_mode()) is not self:
            above.append(top)
        for one in reversed(above):
            _push_mode(one)
        return True

    def pin(self, tensors: Any) -> None:
        """Note that tensors are in pinned memory."""
        for one in tree_leaves(tensors):
            if isinstance(one, torch.Tensor):
                self._pinned[one] = True

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: Arguments = (),
        kwargs: Keywords | None = None,
    ) -> Any:
        """Watch a call as ``SynchronizationCounter`` does, and note what is described above."""
        name = self._name(func)
        args, kwargs = self._with_device(name, args, kwargs or {})
        was = self._call, self.is_on_host, self.backward_site
        self._call = (name, args, kwargs)
        if name in ("to", "cuda"):
            self.has_moved |= name == "cuda" or named_device(args, kwargs) is not None
        self.is_on_host = self._is_host_work(name, args, kwargs)
        if self.is_counting:
            self._look_before(name, args, kwargs)
        try:
            result = super().__torch_function__(func, types, args, kwargs)
        finally:
            self._call, self.is_on_host, self.backward_site = was
        if name == "pin_memory":
            self.pin(result)
        elif name == "__set__" and func == _SET_DATA and isinstance(args[1], torch.Tensor):
            self.placement.mark(args[0], on_host=not self.placement.is_on_device(args[1]))
        if self.is_counting and torch.is_grad_enabled():
            self._follow(args, kwargs, result)
        return result

    def _with_device(
        self, name: str, args: Arguments, kwargs: Keywords
    ) -> tuple[Arguments, Keywords]:
        """A variable that holds "cpu" means the device, as it would be the GPU where there is one.

        Only a line that spells the host out means the host.
        """
        if not self.placement.stand_in or name not in (*_MOVES, *_FACTORIES):
            return args, kwargs
        named = named_device(args, kwargs) if name == "to" else kwargs.get("device")
        if named != "cpu" or not isinstance(named, str):
            return args, kwargs
        site = self._site()
        if site is None or '"cpu"' in site.text or "'cpu'" in site.text:
            return args, kwargs
        device = torch.device("cpu")
        args = tuple(device if isinstance(one, str) and one == "cpu" else one for one in args)
        return args, {key: device if key == "device" else one for key, one in kwargs.items()}

    def _is_host_work(self, name: str, args: Arguments, kwargs: Keywords) -> bool:
        if not self.placement.stand_in or name == "backward":
            return False
        return self.is_on_host or (
            not self.placement.has_any((args, kwargs))
            and self.placement.is_for_host(name, args, kwargs)
        )

    def _look_before(self, name: str, args: Arguments, kwargs: Keywords) -> None:
        if name == "backward":
            self.backward_site = self._site()
        if not self.is_autocast:
            self.is_autocast = torch.is_autocast_enabled("cpu") or torch.is_autocast_enabled("cuda")
        if name in _MOVES and is_queued(args, kwargs):
            source = args[1] if name == "copy_" else args[0]
            goes = name != "to" or self.placement.is_device(named_device(args, kwargs))
            if goes and isinstance(source, torch.Tensor) and self._is_host(source):
                self._note(QUEUED)

    def _is_host(self, tensor: torch.Tensor) -> bool:
        return not self.placement.is_on_device(tensor) and tensor.numel() > 0

    # Notes

    def _site(self) -> CallSite | None:
        return find_caller(sys._getframe(1), own_file=self.own_files)

    def _note(self, kind: str) -> None:
        """Note a call that waits or copies."""
        site = self._site() if self.is_counting else None
        name, args, _ = self._call
        # On a CPU, an optimizer's own counters of steps stay on the host.
        is_counter = name in _FACTORIES and site is not None and site.via.startswith("Optimizer.")
        if site is None or is_counter:
            return
        sent = self._sent(name, args) if kind in (UPLOAD, QUEUED) else None
        if sent is not None:
            self.on_upload(sent)
        self.calls.append(
            Call(
                kind=kind,
                name=name,
                site=site,
                step=self.step,
                start_s=self.now(),
                size_bytes=0 if sent is None else sent.nbytes,
                is_pinned=sent is not None and self._is_pinned(sent),
                inside=self._inside(),
                numbers=_numbers(args[-1]) if name in ("tensor", "as_tensor", "new_tensor") else "",
            )
        )

    def _inside(self) -> str:
        """The innermost line that is neither PyTorch's nor this file's, where it is a library's."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            file = frame.f_code.co_filename
            if file not in self.own_files and not file.startswith(str(_TORCH)):
                package = file.rpartition("site-packages/")[2]
                is_installed = is_library(frame) and package != file
                return f"{package}:{frame.f_lineno}" if is_installed else ""
            frame = frame.f_back
        return ""

    @staticmethod
    def _sent(name: str, args: Arguments) -> torch.Tensor | None:
        at = {"to": 0, "cuda": 0, "copy_": 1, "__setitem__": 2}.get(name)
        one = args[at] if at is not None and at < len(args) else None
        return one if isinstance(one, torch.Tensor) else None

    def _is_pinned(self, tensor: torch.Tensor) -> bool:
        return tensor in self._pinned or (not self.placement.stand_in and tensor.is_pinned())

    # Graphs

    def _follow(self, args: Arguments, kwargs: Keywords, result: Any) -> None:
        """How far back the graph goes that a result hangs on, in steps."""
        made = [one for one in tree_leaves(result) if _has_graph(one)]
        if not made:
            return
        given = [one for one in tree_leaves((args, kwargs)) if _has_graph(one)]
        oldest = min((self._origins.get(one, self.step) for one in given), default=self.step)
        site = self._site()
        if site is None:
            return
        if self.step - oldest >= 2:
            self.carried.append((site, self.step))
        for one in made:
            self._origins[one] = oldest
            self.graphed.append((weakref.ref(one), self.step, site))


def _has_graph(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.grad_fn is not None


def _numbers(data: Any) -> str:
    """Numbers of Python, as they would be typed; "" for anything else, or too many."""
    leaves = tree_leaves(data)
    is_plain = len(leaves) <= _MOST_NUMBERS and all(isinstance(one, int | float) for one in leaves)
    return repr(data) if is_plain and leaves else ""


def host_clock() -> Callable[[], float]:
    """Seconds from now on."""
    start_s = time.perf_counter()
    return lambda: time.perf_counter() - start_s
