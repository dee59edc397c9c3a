"""Hidden synchronizations: where a program makes the host wait for the device.

The host runs ahead of the device until a line needs a value that the device has not computed yet:
``loss.item()``, a ``print``, an ``if`` on a tensor, an array whose shape depends on values. Each is
seen here as it is called, by a torch function mode (a dispatch mode sees neither ``.cpu()`` nor
``.tolist()`` nor a print), with the line that called it.

A copy to the device also waits, unless it is ``non_blocking``: it is queued behind what the device
still has to do, and the host goes on when it is done. ``torch.tensor(number, device=...)`` is such
a copy; ``torch.full`` with ``device=`` writes the number there with a launch, and waits for
nothing.

On a GPU a tensor counts if it is on the device. Without one (and if ``stand_in`` asks for it) CPU
tensors stand in for both: a tensor is on the host when it was made without ``device=`` while this
watched, when it came out of ``.cpu()`` or ``.to("cpu")``, or was computed only from such tensors;
every other one, made before or sent ``.to(device)``, stands in for one on the device.

What it simplifies: what a library does inside its compiled code is not seen, nor is saving a tensor
to a file; a copy with ``non_blocking=True`` is free, though one from pageable memory may wait. With
stand-ins a ``torch.device`` for the CPU that is handed to ``.to`` counts as the device, as a
program's one variable ``device`` would be the GPU where there is one; the string "cpu" is the host.
Sources: PyTorch documentation, "CUDA semantics", asynchronous execution, and
``torch.cuda.set_sync_debug_mode``, which reports most of the same on a GPU; issue 120996 of PyTorch
(which ways to make a tensor on the device wait).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import astuple, dataclass
from typing import Any

import torch
from torch.overrides import TorchFunctionMode, resolve_name

from gpuedu.training.call_sites import find_caller
from gpuedu.training.placement import Arguments, Keywords, Placement, is_queued, named_device
from gpuedu.training.tensors import tensors_in

VALUES = {
    "item": ".item()",
    "tolist": ".tolist()",
    "numpy": ".numpy()",
    "__array__": ".numpy()",
    "cpu": ".cpu()",
    "__bool__": "bool(tensor)",
    "is_nonzero": "bool(tensor)",
    "__float__": "float(tensor)",
    "__int__": "int(tensor)",
    "__index__": "int(tensor)",
    "__complex__": "complex(tensor)",
    "__contains__": "in tensor",
    "__repr__": "print",
    "__format__": "print",
    "equal": "torch.equal",
    "allclose": "torch.allclose",
    "nonzero": "nonzero",
    "argwhere": "nonzero",
    "masked_select": "boolean mask",
    "unique": "unique",
    "unique_consecutive": "unique",
    "bincount": "bincount",
    "histogram": "histogram",
    "apply_": "apply_",
    "map_": "map_",
    "map2_": "map_",
}
"""Functions that need values on the host, or a shape that depends on values."""
_UPLOAD = "copy to the device"
_READS = " of a tensor"
_COPIERS = ("tensor", "as_tensor", "asarray")
_FACTORIES = (*_COPIERS, "arange", "linspace", "full", "zeros", "ones", "empty")


@dataclass(frozen=True)
class Synchronization:
    """One wait of the host: its kind and the line that caused it.

    ``file``, ``line`` (counted from 1), ``function`` and ``text`` are those of the innermost frame
    that is not in a library; ``via`` is the library's function that it had called, or "". ``step``
    is how often :meth:`SynchronizationCounter.next_step` had been called.
    """

    kind: str
    file: str
    line: int
    function: str
    text: str
    via: str
    step: int

    def __str__(self) -> str:
        through = f" in {self.via}" if self.via else ""
        return f"{self.kind}{through}, line {self.line}: `{self.text}`"


class SynchronizationCounter(TorchFunctionMode):
    """Counts what makes the host wait while its ``with`` block runs.

    ``placement`` says on which side a tensor is.

    Args:
        on_wait: called with each synchronization before it happens; a simulated device waits here.
        stand_in: whether CPU tensors stand in for those on the device; by default if there is no
            GPU. To watch CPU tensors on every machine, pass True.

    >>> loss = torch.ones(3).sum()
    >>> with SynchronizationCounter() as counter:
    ...     doubled = loss * 2
    ...     value = doubled.item()
    ...     copied = loss.cpu().numpy()        # waits once: the copy is on the host
    >>> [(wait.kind, wait.line) for wait in counter.synchronizations]
    [('.item()', 3), ('.cpu()', 4)]
    """

    own_files: tuple[str, ...] = (__file__,)
    """Files whose frames are skipped; a class that extends this one adds its own."""

    def __init__(
        self,
        on_wait: Callable[[Synchronization], None] | None = None,
        *,
        stand_in: bool | None = None,
    ) -> None:
        super().__init__()
        self.synchronizations: list[Synchronization] = []
        self.step = 0
        self._on_wait = on_wait
        has_gpu = torch.cuda.is_available()
        self.placement = Placement(stand_in=not has_gpu if stand_in is None else stand_in)
        self._names: dict[Any, str] = {}
        self._synchronize = torch.cuda.synchronize
        self._from_numpy = torch.from_numpy

    def __len__(self) -> int:
        """How many waits there were."""
        return len(self.synchronizations)

    def next_step(self) -> None:
        """A step of the loop ends here; for saying in which step something happened."""
        self.step += 1

    @property
    def by_line(self) -> Counter[tuple[str, int, str]]:
        """How often each (file, line, kind) waited, the most frequent first by ``most_common``."""
        return Counter((one.file, one.line, one.kind) for one in self.synchronizations)

    def __enter__(self) -> SynchronizationCounter:
        # They take no tensor, so that no mode sees them.
        self._synchronize = torch.cuda.synchronize
        torch.cuda.synchronize = self._waited_for_all
        self._from_numpy = torch.from_numpy
        torch.from_numpy = self._made_of_array
        super().__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        torch.cuda.synchronize = self._synchronize
        torch.from_numpy = self._from_numpy
        super().__exit__(*exception)

    def _made_of_array(self, array: Any) -> torch.Tensor:
        return self.placement.place("from_numpy", (), {}, self._from_numpy(array))

    def _waited_for_all(self, device: Any = None) -> None:
        self._note("torch.cuda.synchronize")
        if not self.placement.stand_in:
            self._synchronize(device)

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: Arguments = (),
        kwargs: Keywords | None = None,
    ) -> Any:
        """Watch a call: note it if it waits, let it happen, and note where its results are."""
        kwargs = kwargs or {}
        name = self._name(func)
        tensors = tensors_in(args, kwargs)
        kind = self._kind(name, args, kwargs, tensors)
        # A list of tensors is read one by one.
        times = sum(map(self.placement.is_on_device, tensors)) if kind.endswith(_READS) else 1
        for _ in range(times if kind else 0):
            self._note(kind)
        return self.placement.place(name, args, kwargs, func(*args, **kwargs))

    # Which calls wait

    def _kind(
        self, name: str, args: Arguments, kwargs: Keywords, tensors: list[torch.Tensor]
    ) -> str:
        """What kind of wait a call is, or "" for none."""
        if self._uploads(name, args, kwargs):
            return _UPLOAD
        if not any(map(self.placement.is_on_device, tensors)):
            return ""
        if name in VALUES:
            return VALUES[name]
        if name == "to":
            device = named_device(args, kwargs)
            to_host = device is not None and not self.placement.is_device(device)
            return '.to("cpu")' if to_host and not is_queued(args, kwargs) else ""
        if name in _FACTORIES:
            # torch.tensor(tensor) is a copy on the device; torch.tensor([tensor]) asks for values.
            is_copy = name in _COPIERS and isinstance(args[0], torch.Tensor)
            if is_copy and kwargs.get("device") == "cpu":
                return f'torch.{name}(device="cpu")'
            return "" if is_copy else f"torch.{name}{_READS}"
        if name == "where" and len(args) + len(kwargs) == 1:
            return "nonzero"
        if name == "tensor_split" and isinstance(args[-1], torch.Tensor) and len(args) > 1:
            return "tensor_split"
        if name == "repeat_interleave" and kwargs.get("output_size") is None:
            counts = args[1] if len(args) > 1 else kwargs.get("repeats", args[0])
            return "repeat_interleave" if isinstance(counts, torch.Tensor) else ""
        if name == "one_hot" and len(args) + len(kwargs) == 1:
            return "one_hot without num_classes"
        if name == "__getitem__":
            return self._index_kind(args[1])
        if name in ("__setitem__", "copy_"):
            return self._write_kind(name, args)
        return ""

    def _uploads(self, name: str, args: Arguments, kwargs: Keywords) -> bool:
        """True if a call copies from the host to the device, and the host waits until it is done.

        A single number that is written into a tensor is no copy: it travels with the launch.
        """
        if name in _COPIERS:
            return self.placement.is_device(kwargs.get("device")) and not self.placement.has_any(
                args[0]
            )
        if name == "new_tensor":
            there = kwargs["device"] if "device" in kwargs else args[0].device
            on_device = self.placement.is_on_device(args[0]) if "device" not in kwargs else True
            return (
                on_device
                and self.placement.is_device(there)
                and not self.placement.has_any(args[1])
            )
        if name in ("to", "cuda"):
            sent = name == "cuda" or self.placement.is_device(named_device(args, kwargs))
            return sent and not self.placement.is_on_device(args[0]) and not is_queued(args, kwargs)
        if name in ("copy_", "__setitem__") and self.placement.is_on_device(args[0]):
            value = args[1] if name == "copy_" else args[2]
            is_array = isinstance(value, torch.Tensor) and value.ndim > 0
            queued = name == "copy_" and is_queued(args, kwargs)
            return is_array and not self.placement.is_on_device(value) and not queued
        return False

    def _index_kind(self, index: Any) -> str:
        parts = index if isinstance(index, tuple) else (index,)
        for part in parts:
            if isinstance(part, slice):
                ends = (part.start, part.stop, part.step)
                if any(self.placement.is_on_device(end) for end in ends):
                    return "int(tensor)"
            elif self.placement.is_on_device(part):
                if part.dtype in (torch.bool, torch.uint8):
                    return "boolean mask"
                if part.ndim == 0:
                    return "int(tensor)"
        return ""

    def _write_kind(self, name: str, args: Arguments) -> str:
        value = args[-1] if name == "__setitem__" else args[1]
        if not self.placement.is_on_device(args[0]):
            return "copy into a host tensor" if self.placement.is_on_device(value) else ""
        if name == "copy_":
            return ""
        kind = self._index_kind(args[1])
        # A number under a mask is filled in without asking how many places the mask has.
        return "" if kind == "boolean mask" and not isinstance(value, torch.Tensor) else kind

    # Who called

    def _name(self, func: Callable[..., Any]) -> str:
        if func not in self._names:
            full = resolve_name(func) or getattr(func, "__name__", "")
            self._names[func] = full.rsplit(".", 1)[-1]
        return self._names[func]

    def _note(self, kind: str) -> None:
        caller = find_caller(sys._getframe(2), own_file=self.own_files)
        if caller is None:
            return
        found = Synchronization(kind, *astuple(caller), step=self.step)
        self.synchronizations.append(found)
        if self._on_wait is not None:
            self._on_wait(found)
