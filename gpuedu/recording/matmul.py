"""The matmul ladder: every rung beside the library, in float32; bfloat16 on Tensor Cores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gpuedu.ladder import rungs as all_rungs
from gpuedu.ladder.library import bind_library
from gpuedu.recording import tensor_cores
from gpuedu.recording.bench import GpuBench
from gpuedu.recording.gpu import open_gpu
from gpuedu.recording.measuring import Tell, measure_points
from gpuedu.recording.operands import Operands
from gpuedu.recording.points import Measured, NotHereError, Point, PreparedPoint, Series
from gpuedu.recording.sizes import Sizes

LIBRARY = "cublas"
# Which blocking of a rung is best depends on the device and on how a product's blocks fill it. Each
# takes Numba several seconds to compile, once: trying may take this part of the time there is.
_TRIED_FROM, _TRY_SHARE, _TRY_RUNS = 2048, 0.1, 3
_RECORD_TRY_S = 30.0


def ladder(bench: GpuBench, sizes: Sizes) -> Sequence[Point]:
    """Every rung and the library in float32, then bfloat16, at each size from small to large."""
    return ladder_points(bench, all_rungs(), sizes.matmul, bfloat16=True, try_s=_RECORD_TRY_S)


def measure_ladder(
    rungs: Sequence[Any] | None = None,
    sizes: Sequence[int] = (512, 1024, 2048, 4096),
    *,
    bench: GpuBench | None = None,
    time_s: float = 60.0,
    library: bool = True,
    bfloat16: bool = False,
    tell: Tell = lambda text: None,
) -> Measured:
    """Time rungs, and kernels that look like one, on square products.

    Args:
        rungs: What to time: each has ``name``, ``language`` ("Numba" takes arrays of
            ``cuda.to_device``, "CUDA C" those of ``cp``), and ``bind(a, b, c)`` or
            ``launch(a, b, c)``. All rungs of the ladder by default.
        sizes: n of products of n x n matrices, from small to large.
        bench: The GPU; this machine's first one by default.
        time_s: About how long to take at most, in seconds.
        library: Whether cuBLAS, through PyTorch, is included as the rung "cublas".
        bfloat16: Whether the products on Tensor Cores are included.
        tell: Gets a line about each point.

    Returns:
        Rows like those of the record ``matmul-ladder``, what was left out, and what is wrong.

    Raises:
        NoGpuError: There is no GPU to measure on.
    """
    bench = bench or open_gpu()
    chosen = all_rungs() if rungs is None else rungs
    points = ladder_points(
        bench, chosen, sizes, library=library, bfloat16=bfloat16, try_s=_TRY_SHARE * time_s
    )
    return measure_points(points, bench, "s", time_s, tell)


def ladder_points(
    bench: GpuBench,
    rungs: Sequence[Any],
    sizes: Sequence[int],
    *,
    library: bool = True,
    bfloat16: bool = False,
    try_s: float = _RECORD_TRY_S,
) -> list[Point]:
    """The points of a ladder, all of one size before those of the next.

    ``try_s`` is about how long the blockings of a rung are tried at one size.
    """
    operands, chosen = Operands(bench), _Chosen(bench, try_s)
    points = []
    for n in sizes:
        for rung in rungs:
            work = _work_of(_rung_work, bench, operands, chosen, rung, n)
            points.append(_point(rung.name, rung.language, "float32", n, work))
        if library:
            work = _work_of(_library_work, bench, operands, n)
            points.append(_point(LIBRARY, "PyTorch", "float32", n, work))
        if bfloat16:
            for name, language, make in tensor_cores.PRODUCTS:
                work = _work_of(make, bench, operands, n)
                points.append(_point(name, language, "bfloat16", n, work))
    return points


def _work_of(make: Callable[..., PreparedPoint], *given: Any) -> Callable[[], PreparedPoint]:
    return lambda: make(*given)


def _point(
    rung: str, language: str, dtype: str, n: int, prepare: Callable[[], PreparedPoint]
) -> Point:
    row = {"rung": rung, "language": language, "dtype": dtype, "m": n, "n": n, "k": n}
    return Point(row, prepare, group=f"{rung} {dtype}", units=2.0 * n**3)


def _rung_work(
    bench: GpuBench, operands: Operands, chosen: _Chosen, rung: Any, n: int
) -> PreparedPoint:
    """A rung, in the blocking that is best on this device."""
    a, b = operands.on_device(n, rung.language)
    best = chosen.variant(rung, n, a, b, lambda: operands.blank(n, rung.language))
    # Made anew: what another blocking wrote must not stand where this one leaves something out.
    c = operands.blank(n, rung.language)
    variant = getattr(best, "variant", "")
    return PreparedPoint(
        bind(best, a, b, c),
        lambda: operands.fault_of(n, operands.to_host(c, rung.language)),
        fields={"variant": variant} if variant else {},
    )


def bind(rung: Any, a: Any, b: Any, c: Any) -> Callable[[], object]:
    """A function that enqueues a rung's product once, whichever way the rung offers."""
    if hasattr(rung, "bind"):
        return rung.bind(a, b, c)
    return lambda: rung.launch(a, b, c)


class _Chosen:
    """The blocking of each rung that is fastest at a size, each tried once."""

    def __init__(self, bench: GpuBench, try_s: float) -> None:
        self._bench = bench
        self._try_s = try_s

    def variant(self, rung: Any, n: int, a: Any, b: Any, blank: Callable[[], Any]) -> Any:
        """The rung in its best blocking; its own one for sizes too small to tell."""
        variants = getattr(rung, "variants", (rung,))
        if len(variants) == 1 or n < _TRIED_FROM:
            return rung
        return self._fastest(variants, a, b, blank())

    def _fastest(self, variants: Sequence[Any], a: Any, b: Any, c: Any) -> Any:
        end_s = self._bench.now_s() + self._try_s
        times_s: dict[int, float] = {}
        for place, variant in enumerate(variants):
            if place and self._bench.now_s() > end_s:
                break
            try:
                run = bind(variant, a, b, c)
                run()
                # A device that waited for the compiler runs on a slow clock.
                self._bench.wake()
                times_s[place] = self._bench.time_s(run, _TRY_RUNS)
            except Exception:
                # A device may refuse a blocking, for its registers or its shared memory. Where the
                # context is lost, the work that follows fails too and is told.
                continue
        return variants[min(times_s, key=times_s.__getitem__)] if times_s else variants[0]


def _library_work(bench: GpuBench, operands: Operands, n: int) -> PreparedPoint:
    """The library through PyTorch, in float32: without TF32, which the check would not let pass."""
    if bench.torch is None:
        raise NotHereError("there is no PyTorch that sees the GPU")
    torch = bench.torch
    a, b = (torch.from_numpy(x).to(bench.torch_device) for x in operands.on_host(n))
    c = torch.full((n, n), float("nan"), device=bench.torch_device)
    return PreparedPoint(bind_library(a, b, c), lambda: operands.fault_of(n, c.cpu().numpy()))


SERIES = (
    Series(
        "matmul-ladder",
        "matmul.json",
        "s",
        "c = a @ b of square matrices, the same arrays each time; float32 without TF32, and "
        "bfloat16 added up in float32. The rung cublas is PyTorch's matmul. `variant` is the "
        "blocking that was fastest on this device at this size.",
        ladder,
        14.0,
    ),
)
