"""What a launch costs, and how much work makes it pay."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from gpuedu.recording import kernels
from gpuedu.recording.bandwidth import numbers
from gpuedu.recording.bench import GpuBench
from gpuedu.recording.comparing import difference
from gpuedu.recording.points import NotHereError, Point, PreparedPoint, Series
from gpuedu.recording.sizes import Sizes
from gpuedu.recording.sources import EMPTY, MULTIPLY_ADD

QUEUED, WAITED_FOR = "one after another", "each waited for"
FLOP_PER_ELEMENT, BYTES_PER_ELEMENT = 300, 8
_STEPS, _FACTOR, _TERM = 150, np.float32(0.99), np.float32(0.5)
_THREADS = 256
_WAITS = 10


def launches(bench: GpuBench, sizes: Sizes) -> Sequence[Point]:
    """An empty kernel by each library, queued and waited for."""
    made = {"Numba": _numba, "CuPy RawKernel": _raw, "PyTorch": _torch}
    return [
        Point(
            {"library": library, "mode": mode},
            lambda make=make, mode=mode: _launch(bench, make(bench), mode, sizes.launches),
        )
        for library, make in made.items()
        for mode in (QUEUED, WAITED_FOR)
    ]


def _launch(bench: GpuBench, launch: Callable[[], object], mode: str, many: int) -> PreparedPoint:
    def launch_and_wait() -> None:
        launch()
        bench.sync()

    run, times = (launch, many) if mode == QUEUED else (launch_and_wait, _WAITS)
    # There is no result that could be wrong.
    return PreparedPoint(run, lambda: "", by_host=True, times=times)


def _numba(bench: GpuBench) -> Callable[[], object]:
    kernel = bench.cuda.jit(kernels.empty)
    return lambda: kernel[1, 1]()


def _raw(bench: GpuBench) -> Callable[[], object]:
    kernel = bench.cp.RawKernel(EMPTY, "empty")
    return lambda: kernel((1,), (1,), ())


def _torch(bench: GpuBench) -> Callable[[], object]:
    if bench.torch is None:
        raise NotHereError("there is no PyTorch that sees the GPU")
    one = bench.torch.ones(1, device=bench.torch_device)
    return one.neg_


def break_even(bench: GpuBench, sizes: Sizes) -> Sequence[Point]:
    """A launch with 300 operations an element, by the number of elements, data on the device."""
    return _by_elements(bench, sizes, with_copies=False)


def break_even_with_copies(bench: GpuBench, sizes: Sizes) -> Sequence[Point]:
    """The same, with the data copied to the device and back."""
    return _by_elements(bench, sizes, with_copies=True)


def _by_elements(bench: GpuBench, sizes: Sizes, *, with_copies: bool) -> Sequence[Point]:
    return [
        Point(
            {"n": n, "flop": FLOP_PER_ELEMENT * n},
            lambda n=n: _multiply_add(bench, n, with_copies=with_copies),
        )
        for n in sizes.elements
    ]


def _multiply_add(bench: GpuBench, n: int, *, with_copies: bool) -> PreparedPoint:
    cp, host, back = bench.cp, numbers(n), np.zeros(n, np.float32)
    x, y = cp.asarray(host), cp.zeros(n, cp.float32)
    kernel = cp.RawKernel(MULTIPLY_ADD, "multiply_add")
    grid, block = (-(-n // _THREADS),), (_THREADS,)

    def launch() -> None:
        kernel(grid, block, (x, y, _FACTOR, _TERM, np.int32(n)))

    def launch_with_copies() -> None:
        x.set(host)
        launch()
        y.get(out=back)

    def check() -> str:
        return difference(back if with_copies else y.get(), multiply_added(host), 1e-3)

    return PreparedPoint(
        launch_with_copies if with_copies else launch, check, by_host=True, times=1
    )


def multiply_added(x: np.ndarray) -> np.ndarray:
    """What ``MULTIPLY_ADD`` makes of ``x``, in float64: the sum of a geometric series, closed."""
    factor, term = float(_FACTOR), float(_TERM)
    power = factor**_STEPS
    return x.astype(np.float64) * power + term * (power - 1) / (factor - 1)


_WORK = (
    f"One launch of {FLOP_PER_ELEMENT} operations and {BYTES_PER_ELEMENT} bytes an element (CUDA C "
    "through CuPy), float32, from the call until it is done, by the host's clock; "
)
SERIES = (
    Series(
        "launch-latency",
        "launches.json",
        "s",
        "One launch of an empty kernel (PyTorch: of an operation on one number), by the host's "
        "clock: of many queued one after another, or until the device has done it.",
        launches,
    ),
    Series(
        "break-even", "launches.json", "s", _WORK + "the data is on the device already.", break_even
    ),
    Series(
        "break-even-with-copies",
        "launches.json",
        "s",
        _WORK + "with the data's way to the device and back, from pageable memory.",
        break_even_with_copies,
    ),
)
