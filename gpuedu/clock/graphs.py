"""A simulated device that captures launches in a graph and replays them, as PyTorch's does.

What stands in for PyTorch has its names: ``device.CUDAGraph()`` for ``torch.cuda.CUDAGraph()``,
``with device.graph(graph):`` for ``torch.cuda.graph``, ``device.tensor`` for ``torch.tensor``. Code
written for one runs on the other.

A capture runs nothing. It keeps each launch with the memory that it reads and writes, and the
numbers that it was given. A replay does the same to the same memory, whatever it holds by then.
What makes the CPU wait for the device is refused in a capture, as in CUDA (error 900,
``cudaErrorStreamCaptureUnsupported``).

What it simplifies: one stream, on which kernels run in the order of their launches; the queue never
fills up; a launch costs the CPU a fixed time, a replay another, and each kernel of a replay costs
the device a little besides (``node_s``). The first launch of a kernel loads it, which waits for the
device: on a GPU, that is lazy loading, or a library that initializes itself, and happens only in
some cases. Graphs never share memory.

Sources: PyTorch, "CUDA semantics", section "CUDA Graphs"; NVIDIA, "CUDA Graph Best Practice for
PyTorch", pages "Constraints" and "Quick Checklist"; CUDA Runtime API, error codes (2026).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gpuedu.clock.buffers import Kernel
from gpuedu.clock.device_tensors import SHORT_S, DeviceTensor
from gpuedu.clock.timeline import Interval, Timeline
from gpuedu.errors import AnswerError

CPU, GPU = "CPU", "GPU"
"""The lanes of the timeline."""
REFUSED = "operation not permitted when stream is capturing"
_BUILT_IN = frozenset({"clone", "copy", "fill"})
_MOST_NODES, _MOST_NUMBERS = 10_000, 100_000


@dataclass(frozen=True)
class Node:
    """A launch that was captured: the kernel, its arguments, and the memory it writes to."""

    kernel: Kernel
    given: tuple[Any, ...]
    out: DeviceTensor

    def run(self) -> None:
        """Do what the kernel does to the memory."""
        values = [one.values if isinstance(one, DeviceTensor) else one for one in self.given]
        self.out.values[...] = self.kernel.run(*values)


@dataclass
class CUDAGraph:
    """Launches that were captured; made by ``device.CUDAGraph()``."""

    device: GraphDevice = field(repr=False)
    nodes: list[Node] = field(default_factory=list, repr=False)
    state: str = "empty"

    def replay(self) -> None:
        """Launch all of it, at the cost of one launch."""
        self.device.replay(self)


class GraphDevice:
    """The device; ``refused`` lists what was refused in a capture, ``captures`` counts captures.

    Args:
        launch_s: what launching a kernel costs the CPU.
        replay_s: what launching a graph costs it.
        node_s: what a kernel in a graph costs the device besides its own time.

    >>> device = GraphDevice(launch_s=5e-6, replay_s=9e-6, node_s=0.0)
    >>> x = device.tensor([1.0, 2.0])
    >>> warm, graph = x * 2, device.CUDAGraph()
    >>> with device.graph(graph):
    ...     y = x * 2
    >>> _ = x.copy_(device.tensor([3.0, 4.0]))
    >>> graph.replay()
    >>> y.tolist()
    [6.0, 8.0]
    """

    def __init__(
        self, *, launch_s: float = 5e-6, replay_s: float = 10e-6, node_s: float = 0.5e-6
    ) -> None:
        self._launch_s, self._replay_s, self._node_s = launch_s, replay_s, node_s
        self._cpu_s = self._free_s = 0.0
        self._intervals: list[Interval] = []
        self._loaded: set[str] = set(_BUILT_IN)
        self._capturing: CUDAGraph | None = None
        self.refused: list[str] = []
        self.captures = 0
        self.replayed: list[CUDAGraph] = []

    # What stands for torch and torch.cuda

    def tensor(self, values: Any) -> DeviceTensor:
        """A tensor with these numbers, copied from the CPU."""
        self.wait_for("`tensor(...)` copies numbers from the CPU and waits for that")
        found = np.array(values, dtype=np.float64)
        if found.size > _MOST_NUMBERS:
            raise AnswerError(f"a tensor of {found.size:,} numbers is too large for this device")
        return DeviceTensor(self, found)

    def where(self, condition: DeviceTensor, first: Any, second: Any) -> DeviceTensor:
        """Elements of ``first`` where the condition is not 0, of ``second`` elsewhere."""
        self.require_own(condition, "`where`")

        def choose(condition: Any, first: Any, second: Any) -> Any:
            return np.where(condition != 0, first, second)

        return self.launch(Kernel("where", SHORT_S, choose), condition, first, second)

    def synchronize(self) -> None:
        """Make the CPU wait until everything is done."""
        self.wait_for("`synchronize()` waits for the device")

    def CUDAGraph(self) -> CUDAGraph:  # noqa: N802 (PyTorch's name)
        """An empty graph."""
        return CUDAGraph(self)

    @contextmanager
    def graph(self, graph: CUDAGraph) -> Iterator[None]:
        """What is launched in the block goes into the graph and does not run."""
        if not isinstance(graph, CUDAGraph) or graph.device is not self:
            raise AnswerError("`device.graph` takes a graph, made by `device.CUDAGraph()`")
        if self._capturing is not None:
            self._refuse("another capture is under way")
        if graph.state != "empty":
            raise AnswerError(
                "this graph has been captured already", remedy="Make a new `device.CUDAGraph()`."
            )
        self._capturing, graph.state = graph, "captured"
        self.captures += 1
        try:
            yield
        finally:
            self._capturing = None

    # What tensors and graphs call

    def launch(self, kernel: Kernel, *given: Any, out: DeviceTensor | None = None) -> DeviceTensor:
        """Launch a kernel on tensors and numbers; into ``out``, or into new memory."""
        for one in given:
            if isinstance(one, DeviceTensor):
                self.require_own(one, f"kernel {kernel.name!r}")
        self._load(kernel)
        made = DeviceTensor(self, _memory_for(kernel, given)) if out is None else out
        node = Node(kernel, given, made)
        self._spend("launch" if self._capturing is None else "capture", self._launch_s, kernel.name)
        if self._capturing is None:
            self._run([node], 0.0)
        elif len(self._capturing.nodes) >= _MOST_NODES:
            raise AnswerError(f"a graph on this device has at most {_MOST_NODES:,} kernels")
        else:
            self._capturing.nodes.append(node)
        return made

    def replay(self, graph: CUDAGraph) -> None:
        """Launch a graph."""
        if self._capturing is not None:
            self._refuse("`replay()` launches a graph that was captured before")
        if graph.state != "captured":
            raise AnswerError("`replay()` was called without a successful capture before it")
        self._spend("replay", self._replay_s, "the graph")
        self._run(graph.nodes, self._node_s)
        self.replayed.append(graph)

    def wait_for(self, what: str) -> None:
        """Make the CPU wait for the device; refused in a capture."""
        if self._capturing is not None:
            self._refuse(what)
        if self._free_s > self._cpu_s:
            self._spend("wait", self._free_s - self._cpu_s, "the device")

    def require_own(self, thing: Any, who: str) -> None:
        """Raise AnswerError for anything but a tensor of this device."""
        if not isinstance(thing, DeviceTensor) or thing.device is not self:
            raise AnswerError(f"{who} takes tensors of this device, got {type(thing).__name__}")

    @property
    def timeline(self) -> Timeline:
        """Who did what when, on the lanes CPU and GPU."""
        return Timeline.of(self._intervals)

    def _load(self, kernel: Kernel) -> None:
        if kernel.name not in self._loaded and self._capturing is not None:
            self._refuse(f"the first launch of kernel {kernel.name!r} loads it")
        self._loaded.add(kernel.name)

    def _refuse(self, what: str) -> None:
        """The capture ends with an error, and its graph cannot be replayed."""
        self._capturing.state = "invalid"
        self.refused.append(f"{REFUSED}: {what}")
        raise AnswerError(self.refused[-1])

    def _spend(self, kind: str, time_s: float, label: str) -> None:
        start_s = self._cpu_s
        self._cpu_s = start_s + time_s
        self._intervals.append(Interval(CPU, kind, start_s, self._cpu_s, label))

    def _run(self, nodes: Sequence[Node], extra_s: float) -> None:
        for node in nodes:
            start_s = max(self._cpu_s, self._free_s) + extra_s
            self._free_s = start_s + node.kernel.time_s
            kind = "copy" if node.kernel.name in _BUILT_IN else "kernel"
            self._intervals.append(Interval(GPU, kind, start_s, self._free_s, node.kernel.name))
            node.run()


def _memory_for(kernel: Kernel, given: Sequence[Any]) -> np.ndarray:
    """Memory of the result's shape, in which nothing is yet."""
    dummies = [np.zeros(one.shape) if isinstance(one, DeviceTensor) else one for one in given]
    return np.full(np.shape(kernel.run(*dummies)), np.nan)
