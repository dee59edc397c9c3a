"""How large the measured problems are."""

from __future__ import annotations

from dataclasses import dataclass

from gpuedu.units import GIB, KIB, MIB

_SHARE = 8
_ROOMY_BYTES = 20 * GIB


@dataclass(frozen=True)
class TrainingSizes:
    """Sizes of the series on training.

    ``batches`` are tried by each model in each precision; the loader's pictures have ``side`` x
    ``side`` pixels, and ``pictures`` of them make a pass, with each number of ``workers``; a curve
    of losses has ``curve_steps`` steps of ``curve_batch`` samples, with ``curve_seeds`` seeds.
    """

    mlp_width: int = 4096
    resnet_width: int = 64
    gpt_width: int = 256
    gpt_context: int = 128
    batches: tuple[int, ...] = (16, 64, 256, 1024, 4096)
    pictures: int = 1024
    side: int = 224
    workers: tuple[int, ...] = (0, 1, 2, 4, 8)
    curve_steps: int = 300
    curve_batch: int = 32
    curve_seeds: int = 3


@dataclass(frozen=True)
class GptSizes:
    """A GPT, with the ``batches`` and ``lengths`` (in tokens) that it is measured with."""

    width: int
    layers: int
    heads: int
    vocabulary: int
    batches: tuple[int, ...]
    lengths: tuple[int, ...]


@dataclass(frozen=True)
class FusedSizes:
    """Sizes of kernels beside the library's: columns of rows, positions, rows of a thin matmul."""

    columns: tuple[int, ...] = (1024, 4096, 16384)
    lengths: tuple[int, ...] = (1024, 4096)
    heads: int = 64
    head_width: int = 64
    rows: tuple[int, ...] = (1, 16)
    matmul_width: int = 8192


@dataclass(frozen=True)
class PowerTimes:
    """Seconds: an idle GPU rests, a loaded one settles, and then power is read for a window.

    Most drivers report the mean of the last second, so a load settles for longer than that.
    """

    rest_s: float = 6.0
    settle_s: float = 2.0
    window_s: float = 3.0


# Weights in 16 bits of 0.9 and of 0.3 GB.
DECODED = GptSizes(2048, 8, 16, 32_000, (1, 8, 64, 256), (512, 2048))
DECODED_SMALL = GptSizes(1024, 8, 16, 32_000, (1, 8, 64, 256), (512, 2048))
# The smallest GPT-2, whose vocabulary is rounded up to a multiple of 64.
TRAINED = GptSizes(768, 12, 12, 50_304, (4, 16), (1024,))
TRAINED_SMALL = GptSizes(512, 8, 8, 50_304, (4, 16), (512,))


@dataclass(frozen=True)
class Sizes:
    """Sizes of all series. Bytes are those of one array, unless a field says otherwise."""

    matmul: tuple[int, ...]
    copy_bytes: tuple[int, ...]
    strides: tuple[int, ...]
    stride_bytes: int
    transfer_bytes: tuple[int, ...]
    launches: int
    elements: tuple[int, ...]
    addresses: tuple[int, ...]
    updates: int
    array_bytes: int
    softmax_columns: int
    training: TrainingSizes = TrainingSizes()
    decoded: GptSizes = DECODED
    trained: GptSizes = TRAINED
    power: PowerTimes = PowerTimes()
    fused: FusedSizes = FusedSizes()


def sizes_for(memory_bytes: int) -> Sizes:
    """The sizes for a GPU: no array takes more than an eighth of its memory.

    >>> sizes_for(80 * 2**30).copy_bytes[-1] // 2**20, sizes_for(4 * 2**30).copy_bytes[-1] // 2**20
    (1024, 512)
    """
    most = min(GIB, 2 ** (max(memory_bytes // _SHARE, MIB).bit_length() - 1))
    return Sizes(
        matmul=tuple(n for n in (512, 1024, 2048, 4096, 8192) if 4 * n * n <= most),
        copy_bytes=tuple(2**k for k in range(16, 31) if 2**k <= most),
        strides=(1, 2, 4, 8, 16, 32),
        stride_bytes=most,
        transfer_bytes=tuple(4 * KIB * 4**k for k in range(9) if 4 * KIB * 4**k <= most),
        launches=1000,
        elements=tuple(round(10 ** (3 + k / 5)) for k in range(21)),
        addresses=(1, 8, 64, 1024, 65536),
        updates=2**24,
        array_bytes=most // 2,
        softmax_columns=1024,
        decoded=DECODED if memory_bytes >= _ROOMY_BYTES else DECODED_SMALL,
        trained=TRAINED if memory_bytes >= _ROOMY_BYTES else TRAINED_SMALL,
    )
