"""Kernels in Triton beside PyTorch's: rows that are read once, attention, weights in 8 bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from gpuedu.recording.bench import GpuBench
from gpuedu.recording.points import NotHereError, Point, PreparedPoint, Series
from gpuedu.recording.sizes import Sizes

_EPS = 1e-5
_CODES = 40.0
"""Codes of a weight of 1, in 8 bits."""
Make = Callable[[GpuBench, Sizes, int, str], PreparedPoint]


def points(bench: GpuBench, sizes: Sizes) -> Sequence[Point]:
    """Each operation at each of its sizes, by PyTorch and in Triton."""
    whole: tuple[tuple[str, Make, tuple[int, ...]], ...] = (
        ("softmax", _softmax, sizes.fused.columns),
        ("layer-norm", _layer_norm, sizes.fused.columns),
        ("attention", _attention, sizes.fused.lengths),
        ("few-rows-matmul", _few_rows, sizes.fused.rows),
    )
    return [_point(bench, sizes, *one, size, by) for *one, all_sizes in whole
            for size in all_sizes for by in ("PyTorch", "Triton")]  # fmt: skip


def _point(bench: GpuBench, sizes: Sizes, name: str, make: Make, size: int, by: str) -> Point:
    row = {"operation": name, "by": by, "size": size}
    return Point(row, lambda: make(bench, sizes, size, by), f"{name} {by}", float(size))


def _softmax(bench: GpuBench, sizes: Sizes, columns: int, by: str) -> PreparedPoint:
    x = _rows(bench, sizes, columns)
    softmax = bench.torch.nn.functional.softmax
    run, result = _by(
        bench, by, x, lambda out: _kernels().bind_softmax(x, out), lambda: softmax(x, dim=1)
    )
    return _of_rows(run, result, lambda: softmax(x.double(), dim=1), x)


def _layer_norm(bench: GpuBench, sizes: Sizes, columns: int, by: str) -> PreparedPoint:
    x, weight, bias = _rows(bench, sizes, columns), _normal(bench, columns), _normal(bench, columns)
    norm = bench.torch.nn.functional.layer_norm
    run, result = _by(
        bench,
        by,
        x,
        lambda out: _kernels().bind_layer_norm(x, out, weight, bias, _EPS),
        lambda: norm(x, (columns,), weight, bias, _EPS),
    )
    exact = [one.double() for one in (weight, bias)]
    return _of_rows(run, result, lambda: norm(x.double(), (columns,), *exact, _EPS), x)


def _of_rows(run: Any, result: Callable[[], Any], wanted: Callable[[], Any], x: Any) -> Any:
    fields = {"dtype": "float32", "rows": len(x), "bytes": 2 * x.nbytes}
    return PreparedPoint(run, lambda: _fault(result(), wanted(), 2e-5), fields=fields)


def _attention(bench: GpuBench, sizes: Sizes, length: int, by: str) -> PreparedPoint:
    torch, heads, width = _torch_of(bench), sizes.fused.heads, sizes.fused.head_width
    q, k, v = (_normal(bench, heads, length, width, seed=seed).half() for seed in range(3))
    attend = torch.nn.functional.scaled_dot_product_attention
    run, result = _by(
        bench,
        by,
        q,
        lambda out: _kernels().bind_attention(q, k, v, out),
        lambda: attend(q[None], k[None], v[None], is_causal=True)[0],
    )

    def wanted() -> Any:  # a head at a time, with all of its scores in memory
        heads_of = zip(*(one.double() for one in (q, k, v)), strict=True)
        future = torch.ones(length, length, dtype=torch.bool, device=q.device).triu(1)
        return torch.stack([_plain_attention(*one, future) for one in heads_of])

    flop = 2 * heads * length * length * width  # causal: half of both products
    fields = {"dtype": "float16", "heads": heads, "head_width": width, "flop": flop}
    return PreparedPoint(run, lambda: _fault(result(), wanted(), 4e-3), fields=fields)


def _plain_attention(q: Any, k: Any, v: Any, future: Any) -> Any:
    scores = (q @ k.T / q.shape[1] ** 0.5).masked_fill(future, -float("inf"))
    return scores.softmax(1) @ v


def _few_rows(bench: GpuBench, sizes: Sizes, rows: int, by: str) -> PreparedPoint:
    """X @ w for few rows: by PyTorch with w in 16 bits, in Triton with 8 bits and scales."""
    torch, n = _torch_of(bench), sizes.fused.matmul_width
    x = _normal(bench, rows, n).half()
    codes = (_CODES * _normal(bench, n, n)).round().clamp(-127, 127).to(torch.int8)
    scales = (_normal(bench, n).abs() / _CODES).half()
    weights = None if by == "Triton" else (codes * scales).half()
    run, result = _by(
        bench,
        by,
        x,
        lambda out: _kernels().bind_matmul_int8(x, codes, scales, out),
        lambda: torch.matmul(x, weights),
    )

    def wanted() -> Any:
        return x.double() @ (codes.float() * scales.float()).double()

    fields = {
        "dtype": "float16",
        "weight_bytes": codes.nbytes if weights is None else weights.nbytes,
    }
    most = 4e-3 * n**0.5  # rounding of weights and of the result; sums grow like the root
    return PreparedPoint(run, lambda: _fault(result(), wanted(), most), fields=fields)


def _by(
    bench: GpuBench, by: str, like: Any, bind: Callable[[Any], Any], call: Callable[[], Any]
) -> tuple[Callable[[], object], Callable[[], Any]]:
    """What runs the operation once, and what gives its result then.

    Args:
        bench: The GPU; where it is none, Triton's interpreter runs its kernels.
        by: "Triton" or "PyTorch".
        like: A tensor like the result.
        bind: Binds the kernel to where its result goes.
        call: PyTorch's operation, whose result is kept.
    """
    if by == "Triton":
        out = bench.torch.full_like(like, float("nan"))
        launch = bind(out)
        return launch if bench.torch_device == "cuda" else _interpreted(launch), lambda: out
    kept: list[Any] = []

    def run() -> None:
        kept[:] = [call()]

    return run, lambda: kept[0]


def _interpreted(launch: Callable[[], object]) -> Callable[[], object]:
    def run() -> None:
        from gpuedu.triton.launching import interpreted

        with interpreted(lambda trace: None):
            launch()

    return run


def _rows(bench: GpuBench, sizes: Sizes, columns: int) -> Any:
    """Rows of float32 that fill an array of the sizes."""
    _torch_of(bench)
    return _normal(bench, max(1, sizes.array_bytes // (4 * columns)), columns)


def _normal(bench: GpuBench, *shape: int, seed: int = 0) -> Any:
    """Numbers of the normal distribution, float32, the same ones each time."""
    device = bench.torch_device
    chance = bench.torch.Generator(device=device).manual_seed(sum(shape) + seed)
    return bench.torch.randn(shape, generator=chance, device=device)


def _kernels() -> Any:
    try:
        import_module("triton")
    except ImportError as fault:
        raise NotHereError("there is no Triton") from fault
    return import_module("gpuedu.recording.triton_kernels")


def _torch_of(bench: GpuBench) -> Any:
    if bench.torch is None:
        raise NotHereError("there is no PyTorch that sees the GPU")
    return bench.torch


def _fault(got: Any, wanted: Any, most: float) -> str:
    """What is wrong with a result, where it is off by more than ``most``, or is no number."""
    wrong = ~((got.double() - wanted).abs() <= most)
    if not wrong.any():
        return ""
    place = int(wrong.flatten().int().argmax())
    shown, right = got.flatten()[place].item(), wanted.flatten()[place].item()
    return f"element {place} of the result is {shown}, and should be {right}"


SERIES = (
    Series(
        "fused-kernels",
        "kernels.json",
        "s",
        "One kernel in Triton, and PyTorch's for the same: softmax and layer norm of rows of "
        "`size` float32 (`bytes`: each read and written once); causal attention of `size` "
        "positions in float16; and `size` rows times a square matrix, whose weights have 16 bits "
        "in PyTorch and 8 in Triton. Blocks are those that were fastest on this device.",
        points,
        3.0,
    ),
)
