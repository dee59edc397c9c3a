"""Tensors of a simulated device with graphs: PyTorch's names for what they can do."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuedu.clock.buffers import Kernel
from gpuedu.errors import AnswerError

if TYPE_CHECKING:
    from gpuedu.clock.graphs import GraphDevice

SHORT_S = 1e-6
"""How long a copy, a fill or an operation on a small tensor takes."""
_MOST_SHOWN = 60


class DeviceTensor:
    """Numbers on the device; made by ``device.tensor`` and by operations.

    Each operation is a kernel. Whatever looks at the numbers (``item``, ``tolist``, ``if x > 0:``)
    makes the CPU wait for the device.
    """

    __hash__ = None

    def __init__(self, device: GraphDevice, values: np.ndarray) -> None:
        self.device, self.values = device, values

    @property
    def shape(self) -> tuple[int, ...]:
        """Its extents, which the CPU knows without asking the device."""
        return self.values.shape

    # Kernels that write to memory of their own

    def clone(self) -> DeviceTensor:
        """A copy in its own memory."""
        return self.device.launch(Kernel("clone", SHORT_S, np.copy), self)

    def sum(self) -> DeviceTensor:
        """The sum of all elements, a tensor without dimensions."""
        return self.device.launch(Kernel("sum", SHORT_S, np.sum), self)

    def __add__(self, other: Any) -> DeviceTensor:
        return self._with("add", np.add, other)

    def __mul__(self, other: Any) -> DeviceTensor:
        return self._with("multiply", np.multiply, other)

    def __sub__(self, other: Any) -> DeviceTensor:
        return self._with("subtract", np.subtract, other)

    def __gt__(self, other: Any) -> DeviceTensor:
        return self._with("greater", np.greater, other)

    def __lt__(self, other: Any) -> DeviceTensor:
        return self._with("less", np.less, other)

    __radd__, __rmul__ = __add__, __mul__

    # Kernels that write into this tensor

    def copy_(self, source: DeviceTensor) -> DeviceTensor:
        """Copy ``source``, a tensor of the same shape, into this one's memory."""
        self.device.require_own(source, "`copy_`")
        if source.shape != self.shape:
            raise AnswerError(
                f"`copy_` got a tensor of shape {source.shape} for one of shape {self.shape}"
            )
        self.device.launch(Kernel("copy", SHORT_S, np.copy), source, out=self)
        return self

    def fill_(self, value: float) -> DeviceTensor:
        """Write a number into every element."""
        filled = number_of(value, "`fill_`")
        self.device.launch(Kernel("fill", SHORT_S, lambda: filled), out=self)
        return self

    # What lets the CPU wait

    def item(self) -> float:
        """The one element, as a Python number."""
        self.device.wait_for("`item()` copies a number to the CPU and waits for it")
        if self.values.size != 1:
            raise AnswerError(
                f"`item()` needs a tensor of one element, this one has shape {self.shape}"
            )
        return float(self.values.reshape(()))

    def tolist(self) -> Any:
        """All elements, as Python numbers."""
        self.device.wait_for("`tolist()` copies the numbers to the CPU and waits for them")
        return self.values.tolist()

    def __bool__(self) -> bool:
        """Whether the one element is not 0."""
        self.device.wait_for("`if` and `while` ask for a value, and the CPU waits for it")
        if self.values.size != 1:
            raise AnswerError("the truth of a tensor of several elements is not defined")
        return bool(self.values.reshape(()))

    def __float__(self) -> float:
        return self.item()

    def __repr__(self) -> str:
        """Its shape; the numbers are on the device."""
        return f"DeviceTensor(shape={self.shape})"

    def _with(self, name: str, run: Callable[..., Any], other: Any) -> DeviceTensor:
        if not isinstance(other, DeviceTensor):
            other = number_of(other, f"`{name}`")
        return self.device.launch(Kernel(name, SHORT_S, run), self, other)


def number_of(value: Any, what: str) -> float:
    """A plain number; AnswerError for anything else."""
    if isinstance(value, Real):
        return float(value)
    raise AnswerError(f"{what} takes a number, got {type(value).__name__[:_MOST_SHOWN]}")
