"""The streams of a real GPU, through PyTorch, with the interface of the simulated ones.

A program that was written for :class:`gpuedu.clock.StreamDevice` runs here unchanged. The
simulation reports races, which a GPU does not; a GPU gives better times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gpuedu.clock.buffers import DEVICE, HOST, Kernel
from gpuedu.clock.engines import COMPUTE, engine_of, refuse_host_memory
from gpuedu.clock.timeline import Interval, Timeline


@dataclass
class CudaBuffer:
    """Bytes on the GPU or on the host, and the array that they are viewed as."""

    name: str
    size_bytes: int
    place: str
    pinned: bool
    tensor: Any = field(repr=False)
    dtype: Any = field(default=None, repr=False)
    shape: tuple[int, ...] = ()

    @property
    def values(self) -> Any:
        """The bytes as a tensor of the dtype and shape that were written; None before that."""
        return None if self.dtype is None else self.tensor.view(self.dtype).view(self.shape)

    def write(self, values: Any) -> None:
        """The host puts an array of exactly ``size_bytes`` bytes in."""
        import torch

        self.put(torch.from_numpy(np.ascontiguousarray(values)))

    def put(self, values: Any) -> None:
        """Copy a tensor of ``size_bytes`` bytes in, on the current stream."""
        import torch

        size_bytes = values.numel() * values.element_size()
        if size_bytes != self.size_bytes:
            raise ValueError(f"{self.name!r} has {self.size_bytes} bytes, got {size_bytes}")
        # A scalar cannot be seen as bytes before it is a list of one.
        self.tensor.copy_(values.contiguous().reshape(-1).view(torch.uint8))
        self.dtype, self.shape = values.dtype, tuple(values.shape)

    def read(self) -> Any:
        """The host looks at a copy of the values, as a NumPy array."""
        return None if self.dtype is None else self.values.numpy().copy()


class CudaStream:
    """A stream of PyTorch; made by ``device.stream``."""

    def __init__(self, name: str, real: Any) -> None:
        self.name, self.real = name, real

    def wait_event(self, event: CudaEvent) -> None:
        """Hold back what is issued after this until ``event`` is done."""
        self.real.wait_event(event.real)

    def synchronize(self) -> None:
        """Make the host wait until everything on this stream is done."""
        self.real.synchronize()


class CudaEvent:
    """An event of PyTorch; made by ``device.event``."""

    def __init__(self, real: Any, default_stream: CudaStream) -> None:
        self.real, self._default = real, default_stream

    def record(self, stream: CudaStream | None = None) -> None:
        """Mark everything issued to ``stream`` up to now (the default stream)."""
        self.real.record((stream or self._default).real)

    def synchronize(self) -> None:
        """Make the host wait until what was marked is done."""
        self.real.synchronize()

    def query(self) -> bool:
        """Whether what was marked is done."""
        return self.real.query()


class CudaStreamDevice:
    """A GPU as a :class:`gpuedu.clock.StreamDevice`: the same calls, real copies and kernels.

    A kernel does what its ``run`` does, with tensors on the GPU, and takes as long as that takes;
    its ``time_s`` is for the simulation. ``timeline`` is measured by events around each operation,
    in seconds since the first, after ``synchronize``. Buffers live as long as the device.

    Args:
        place: PyTorch's name for the device.
    """

    races = ()

    def __init__(self, place: str = "cuda") -> None:
        import torch

        self._torch, self._place = torch, place
        self._buffers: list[CudaBuffer] = []
        self._marks: list[tuple[str, str, str, Any, Any]] = []
        self.default_stream = CudaStream("default", torch.cuda.default_stream())

    def stream(self, name: str = "stream") -> CudaStream:
        """A new stream."""
        return CudaStream(name, self._torch.cuda.Stream())

    def event(self) -> CudaEvent:
        """A new event, not yet recorded."""
        return CudaEvent(self._torch.cuda.Event(), self.default_stream)

    def buffer(self, size_bytes: int, name: str = "buffer") -> CudaBuffer:
        """Memory of the device."""
        tensor = self._torch.empty(size_bytes, dtype=self._torch.uint8, device=self._place)
        # The memory may have been in use on another stream until now.
        self._torch.cuda.synchronize()
        return self._keep(CudaBuffer(name, size_bytes, DEVICE, False, tensor))

    def host_buffer(
        self, size_bytes: int, name: str = "batch", *, pinned: bool = True, values: Any = None
    ) -> CudaBuffer:
        """Memory of the host, page-locked (pinned) or not, with an array in it if one is given."""
        tensor = self._torch.empty(size_bytes, dtype=self._torch.uint8, pin_memory=pinned)
        buffer = CudaBuffer(name, size_bytes, HOST, pinned, tensor)
        if values is not None:
            buffer.write(values)
        return self._keep(buffer)

    def copy(self, to: CudaBuffer, source: CudaBuffer, stream: CudaStream | None = None) -> None:
        """Copy ``source`` to ``to``, one of them on the host, in the order of ``stream``."""
        engine = engine_of(to, source)
        with self._timed(engine, "copy", f"the copy of {source.name!r} to {to.name!r}", stream):
            to.tensor.copy_(source.tensor, non_blocking=to.pinned or source.pinned)
        to.dtype, to.shape = source.dtype, source.shape

    def launch(
        self,
        kernel: Kernel,
        *,
        reads: Sequence[CudaBuffer] = (),
        writes: Sequence[CudaBuffer] = (),
        stream: CudaStream | None = None,
    ) -> None:
        """Issue a kernel that reads and writes these buffers, in the order of ``stream``."""
        refuse_host_memory(kernel, (*reads, *writes))
        with self._timed(COMPUTE, "kernel", f"kernel {kernel.name!r}", stream):
            if kernel.run is None:
                return
            made = kernel.run(*(buffer.values for buffer in reads))
            for buffer, values in zip(writes, kernel.results(made, len(writes)), strict=True):
                buffer.put(values)

    def synchronize(self) -> None:
        """Make the host wait until everything that was issued is done."""
        self._torch.cuda.synchronize()

    @property
    def timeline(self) -> Timeline:
        """What ran when, measured, in seconds since the first operation started."""
        if not self._marks:
            return Timeline(())
        self.synchronize()
        origin = self._marks[0][3]
        return Timeline.of(
            Interval(
                lane,
                kind,
                origin.elapsed_time(began) / 1e3,
                origin.elapsed_time(ended) / 1e3,
                label,
            )
            for lane, kind, label, began, ended in self._marks
        )

    def _keep(self, buffer: CudaBuffer) -> CudaBuffer:
        self._buffers.append(buffer)
        return buffer

    def _timed(self, lane: str, kind: str, what: str, stream: CudaStream | None) -> _Timed:
        stream = stream or self.default_stream
        began, ended = (self._torch.cuda.Event(enable_timing=True) for _ in range(2))
        self._marks.append((lane, kind, f"{what} on {stream.name}", began, ended))
        return _Timed(self._torch.cuda.stream(stream.real), stream.real, began, ended)


class _Timed:
    """What is issued inside goes to one stream, between two marks of time."""

    def __init__(self, current: Any, real: Any, began: Any, ended: Any) -> None:
        self._current, self._real = current, real
        self._began, self._ended = began, ended

    def __enter__(self) -> None:
        self._current.__enter__()
        self._began.record(self._real)

    def __exit__(self, *exception: Any) -> None:
        self._ended.record(self._real)
        self._current.__exit__(*exception)
