"""Hidden synchronisations: where a program makes the host wait for the device.

The host runs ahead of the device until a line needs a value that the device has not computed yet:
``loss.item()``, a ``print``, an ``if`` on a tensor, an array whose shape depends on values. Each is
seen here as it is called, by a torch function mode (a dispatch mode sees neither ``.cpu()`` nor
``.tolist()`` nor a print), with the line that called it.

On a GPU a tensor counts where it lies on the device. Without one, CPU tensors stand for both: a
tensor is on the host when it was made without ``device=`` while this watched, when it came out of
``.cpu()`` or ``.to("cpu")``, or was computed from such tensors alone; every other one, made before
or sent ``.to(device)``, stands for one on the device.

What it simplifies: copies to the device are not counted, though from pageable memory they wait too;
what a library does inside its compiled code is not seen, nor is saving a tensor to a file. Without
a GPU, a ``torch.device`` for the CPU that is handed to ``.to`` counts as the device, as a program's
one variable ``device`` would be the GPU where there is one.
Sources: PyTorch documentation, "CUDA semantics", asynchronous execution, and
``torch.cuda.set_sync_debug_mode``, which tells most of the same on a GPU.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import astuple, dataclass
from typing import Any

import torch
from torch.overrides import TorchFunctionMode, resolve_name
from torch.utils._pytree import tree_leaves
from torch.utils.weak import WeakIdKeyDictionary

from gpuedu.training.call_sites import find_caller

_VALUES = {
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
}
"""Functions that need values on the host, or a shape that depends on values."""
_FACTORIES = ("tensor", "as_tensor", "arange", "linspace", "full", "zeros", "ones", "empty")


@dataclass(frozen=True)
class Synchronisation:
    """One wait of the host: its kind and the line that caused it.

    ``file``, ``line`` (counted from 1), ``function`` and ``text`` are those of the innermost frame
    that is not in a library; ``via`` is the library's function that it had called, or "". ``step``
    is how often :meth:`SynchronisationCounter.next_step` had been called.
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


class SynchronisationCounter(TorchFunctionMode):
    """Counts what makes the host wait while its ``with`` block runs.

    Args:
        on_wait: called with each synchronisation before it happens; a simulated device waits here.

    >>> loss = torch.ones(3).sum()
    >>> with SynchronisationCounter() as counter:
    ...     doubled = loss * 2
    ...     value = doubled.item()
    ...     copied = loss.cpu().numpy()        # waits once: the copy is on the host
    >>> [(wait.kind, wait.line) for wait in counter.synchronisations]
    [('.item()', 3), ('.cpu()', 4)]
    """

    def __init__(self, on_wait: Callable[[Synchronisation], None] | None = None) -> None:
        super().__init__()
        self.synchronisations: list[Synchronisation] = []
        self.step = 0
        self._on_wait = on_wait
        self._has_gpu = torch.cuda.is_available()
        self._on_host: WeakIdKeyDictionary = WeakIdKeyDictionary()
        self._names: dict[Any, str] = {}
        self._synchronize = torch.cuda.synchronize

    def __len__(self) -> int:
        """How many there were."""
        return len(self.synchronisations)

    def next_step(self) -> None:
        """A step of the loop ends here; for saying in which step something happened."""
        self.step += 1

    @property
    def by_line(self) -> Counter[tuple[str, int, str]]:
        """How often each (file, line, kind) waited, the most frequent first by ``most_common``."""
        return Counter((one.file, one.line, one.kind) for one in self.synchronisations)

    def __enter__(self) -> SynchronisationCounter:
        # It takes no tensor, so that no mode sees it.
        self._synchronize = torch.cuda.synchronize
        torch.cuda.synchronize = self._waited_for_all
        super().__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        torch.cuda.synchronize = self._synchronize
        super().__exit__(*exception)

    def _waited_for_all(self, device: Any = None) -> None:
        self._note("torch.cuda.synchronize")
        if self._has_gpu:
            self._synchronize(device)

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """See a call, note it where it waits, let it happen, and note where its results lie."""
        kwargs = kwargs or {}
        name = self._name(func)
        tensors = [one for one in tree_leaves((args, kwargs)) if isinstance(one, torch.Tensor)]
        kind = self._kind(name, args, kwargs, tensors)
        # A list of tensors is read one by one.
        times = sum(map(self._is_on_device, tensors)) if name in _FACTORIES else 1
        for _ in range(times if kind else 0):
            self._note(kind)
        result = func(*args, **kwargs)
        return result if self._has_gpu else self._place(name, args, kwargs, tensors, result)

    # Which calls wait

    def _kind(
        self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], tensors: list[torch.Tensor]
    ) -> str:
        """What kind of wait a call is, or "" for none."""
        if not any(map(self._is_on_device, tensors)):
            return ""
        if name in _VALUES:
            return _VALUES[name]
        if name == "to":
            waits = _goes_to_host(args, kwargs) and not kwargs.get("non_blocking")
            return '.to("cpu")' if waits else ""
        if name in _FACTORIES:
            # torch.tensor(tensor) is a copy on the device; torch.tensor([tensor]) asks for values.
            is_copy = name in ("tensor", "as_tensor") and isinstance(args[0], torch.Tensor)
            return "" if is_copy else f"torch.{name} of a tensor"
        if name == "where" and len(args) + len(kwargs) == 1:
            return "nonzero"
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

    def _index_kind(self, index: Any) -> str:
        parts = index if isinstance(index, tuple) else (index,)
        for part in parts:
            if isinstance(part, slice):
                ends = (part.start, part.stop, part.step)
                if any(self._is_on_device(end) for end in ends):
                    return "int(tensor)"
            elif self._is_on_device(part):
                if part.dtype in (torch.bool, torch.uint8):
                    return "boolean mask"
                if part.ndim == 0:
                    return "int(tensor)"
        return ""

    def _write_kind(self, name: str, args: tuple[Any, ...]) -> str:
        value = args[-1] if name == "__setitem__" else args[1]
        if not self._is_on_device(args[0]):
            return "copy into a host tensor" if self._is_on_device(value) else ""
        if name == "copy_":
            return ""
        kind = self._index_kind(args[1])
        # A number under a mask is filled in without asking how many places the mask has.
        return "" if kind == "boolean mask" and not isinstance(value, torch.Tensor) else kind

    # Where tensors lie

    def _is_on_device(self, value: Any) -> bool:
        if not isinstance(value, torch.Tensor):
            return False
        return value.is_cuda or (not self._has_gpu and value not in self._on_host)

    def _place(
        self,
        name: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        tensors: list[torch.Tensor],
        result: Any,
    ) -> Any:
        """Note on which side the result lies; a move that moved nothing gives a new view."""
        if name == "cpu" or (name == "to" and _goes_to_host(args, kwargs)):
            on_host = True
        elif name == "cuda" or kwargs.get("device") is not None or _sends(name, args):
            on_host = False
        else:
            on_host = not any(map(self._is_on_device, tensors))
        if isinstance(result, torch.Tensor) and name in ("cpu", "cuda", "to"):
            moved = self._is_on_device(args[0]) == on_host
            result = result.view_as(result) if moved and result is args[0] else result
        for one in tree_leaves(result):
            if isinstance(one, torch.Tensor):
                if on_host:
                    self._on_host[one] = True
                else:
                    self._on_host.pop(one, None)
        return result

    # Who called

    def _name(self, func: Callable[..., Any]) -> str:
        if func not in self._names:
            full = resolve_name(func) or getattr(func, "__name__", "")
            self._names[func] = full.rsplit(".", 1)[-1]
        return self._names[func]

    def _note(self, kind: str) -> None:
        caller = find_caller(sys._getframe(2), own_file=__file__)
        if caller is None:
            return
        found = Synchronisation(kind, *astuple(caller), step=self.step)
        self.synchronisations.append(found)
        if self._on_wait is not None:
            self._on_wait(found)


def _goes_to_host(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether ``.to`` was told "cpu" in so many letters."""
    return "cpu" in [one for one in (*args[1:], kwargs.get("device")) if isinstance(one, str)]


def _sends(name: str, args: tuple[Any, ...]) -> bool:
    """Whether the call is a ``.to`` that names a device by position."""
    return name == "to" and any(isinstance(one, (str, torch.device)) for one in args[1:])
