"""What operations of a simulated device work on, and what its kernels are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gpuedu.errors import AnswerError

if TYPE_CHECKING:
    from gpuedu.clock.streams import StreamDevice

HOST, DEVICE = "host", "device"


@dataclass
class Buffer:
    """Memory of the device or of the host (``place``: DEVICE or HOST), with values of any kind."""

    name: str
    size_bytes: int
    place: str
    pinned: bool
    device: StreamDevice = field(repr=False)
    values: Any = field(default=None, repr=False)

    def __setattr__(self, name: str, value: Any) -> None:
        """Put values in; a buffer's name, size and place stay as they were made."""
        if name != "values" and name in vars(self):
            raise AttributeError(f"{name!r} of a buffer cannot be changed")
        super().__setattr__(name, value)

    def write(self, values: Any) -> None:
        """The host writes values; only into host memory."""
        self._require_host("write to")
        self.device.use_on_host(f"the host's write to {self.name!r}", writes=[self])
        self.values = values

    def read(self) -> Any:
        """The host reads the values; only in host memory."""
        self._require_host("read from")
        self.device.use_on_host(f"the host's read of {self.name!r}", reads=[self])
        return self.values

    def _require_host(self, doing: str) -> None:
        if self.place != HOST:
            raise AnswerError(
                f"the host cannot {doing} {self.name!r}, which is memory of the device",
                remedy="Copy it: `device.copy(to, source, stream)`.",
            )


@dataclass(frozen=True)
class Kernel:
    """A kernel: its name, how long it takes, and what it computes from the values that it reads.

    ``run(*values of reads)`` returns the value for the buffer that is written, or a tuple of one
    for each; with nothing to write its result is dropped.
    """

    name: str
    time_s: float
    run: Callable[..., Any] | None = None

    def results(self, made: Any, count: int) -> tuple[Any, ...]:
        """What ``run`` returned, as values for ``count`` buffers."""
        if count == 1:
            return (made,)
        return tuple(made) if count else ()
