"""The rungs of the ladder, in the order of the ideas, in Numba and in CUDA C."""

from __future__ import annotations

from functools import cache
from typing import Any

from gpuedu.ladder.blocking import Blocking
from gpuedu.ladder.cuda_c_rung import CudaCRung, CudaCSource
from gpuedu.ladder.python_rung import PythonRung
from gpuedu.ladder.rung import Rung
from gpuedu.syllabus import unknown

SMALL = Blocking(64, 64, 8, 4, 4)
WIDE = Blocking(128, 128, 8, 8, 8)
TWO_BLOCKS = Blocking(128, 128, 8, 8, 8, blocks_per_sm=2)
"""``WIDE``, with few enough registers that an SM holds two blocks."""

BROAD = Blocking(128, 256, 8, 8, 16)
TALL = Blocking(256, 128, 8, 16, 8)
NARROW = Blocking(64, 128, 8, 8, 8)
SHORT = Blocking(64, 64, 8, 8, 8)
TUNED = (TWO_BLOCKS, BROAD, TALL, NARROW, SHORT)
"""What is worth trying beside ``WIDE``; which is best depends on the device."""

DEEP = Blocking(128, 128, 16, 8, 8)
"""Only for CUDA C, whose compiler unrolls the steps itself."""


@cache
def rungs() -> tuple[Rung, ...]:
    """All rungs: those in Numba in the order of the ideas, then those in CUDA C."""
    return (*_in_numba(), *_in_cuda_c())


def rung(name: str) -> Rung:
    """The rung with this name; UnknownNameError with the nearest names.

    >>> rung("wide-register-tile").threads
    256
    """
    for entry in rungs():
        if entry.name == name:
            return entry
    raise unknown("rung", name, (entry.name for entry in rungs()))


def _in_numba() -> tuple[Rung, ...]:
    return (
        PythonRung(
            "by-columns",
            "one thread per element, x down the rows",
            "A thread computes one element, and neighbors in a warp are below one another.",
            _plain("by_columns"),
            down=True,
        ),
        PythonRung(
            "naive",
            "one thread per element, x along the columns",
            "Neighbors in a warp are side by side, so they read neighboring elements of b.",
            _plain("naive"),
        ),
        PythonRung(
            "tiled",
            "tiles in shared memory",
            "A block reads each element once, and its 32 readers take it from shared memory.",
            _plain("tiled"),
            tile=(32, 32, 32),
        ),
        PythonRung(
            "register-tile",
            "4 x 4 elements per thread",
            "A thread reads 8 words of shared memory for 16 multiply-adds.",
            _register_tile,
            blocking=SMALL,
        ),
        PythonRung(
            "wide-register-tile",
            "8 x 8 elements per thread",
            "A thread reads 16 words of shared memory for 64 multiply-adds.",
            _register_tile,
            blocking=WIDE,
        ),
        PythonRung(
            "vector-loads",
            "vector loads",
            "Shared memory is read 16 bytes at a time, and no address is computed on the way.",
            _vector_loads,
            blocking=WIDE,
            others=TUNED,
        ),
        PythonRung(
            "double-buffer",
            "a second buffer",
            "The next tiles are on their way while the present ones are used; one barrier a step.",
            _double_buffer,
            blocking=WIDE,
            others=TUNED,
        ),
    )


def _in_cuda_c() -> tuple[Rung, ...]:
    return (
        CudaCRung(
            "c-naive",
            "one thread per element, x along the columns",
            "As in Numba, with indices of 32 bits.",
            lambda *_: CudaCSource("naive.cu", "naive"),
        ),
        CudaCRung(
            "c-tiled",
            "tiles in shared memory",
            "As in Numba; the compiler writes out the steps of a tile.",
            lambda *_: CudaCSource("tiled.cu", "tiled"),
            tile=(32, 32, 32),
        ),
        CudaCRung(
            "c-register-tile",
            "4 x 4 elements per thread",
            "A thread reads 8 words of shared memory for 16 multiply-adds.",
            _c_register_tile,
            blocking=SMALL,
        ),
        CudaCRung(
            "c-wide-register-tile",
            "8 x 8 elements per thread",
            "A thread reads 16 words of shared memory for 64 multiply-adds.",
            _c_register_tile,
            blocking=WIDE,
        ),
        CudaCRung(
            "c-vector-loads",
            "vector loads",
            "Global and shared memory are read and written 16 bytes at a time.",
            _c_vector_loads,
            blocking=WIDE,
            others=(*TUNED, DEEP),
        ),
        CudaCRung(
            "c-warp-tile",
            "warp tiles, second buffer",
            "The next tiles are on their way while the present ones are used; one barrier a step.",
            _c_warp_tile,
            blocking=WIDE,
            others=(*TUNED, DEEP),
        ),
    )


# Numba's decorator asks for a backend, so a kernel is made when it is first asked for.
def _plain(name: str) -> Any:
    def make(_: Rung, *shape: int) -> Any:
        from gpuedu.ladder import plain

        return getattr(plain, name)

    return make


def _register_tile(own: Rung, *_: int) -> Any:
    from gpuedu.ladder.register_tile import make_register_tile

    return make_register_tile(own.blocking)


def _vector_loads(own: Rung, m: int, n: int, k: int) -> Any:
    from gpuedu.ladder.warp_tile import make_vector_loads

    return make_vector_loads(own.blocking, own.blocking.divides(m, n, k))


def _double_buffer(own: Rung, m: int, n: int, k: int) -> Any:
    from gpuedu.ladder.warp_tile import make_double_buffer

    return make_double_buffer(own.blocking, own.blocking.divides(m, n, k))


def _c_register_tile(own: Rung, *_: int) -> CudaCSource:
    block = own.blocking
    numbers = (*block.tile, block.thread_rows, block.thread_columns)
    return CudaCSource("register_tile.cu", f"register_tile<{', '.join(map(str, numbers))}>")


def _c_vector_loads(own: Rung, m: int, n: int, k: int) -> CudaCSource:
    return _warp_tile(own.blocking, 1, own.blocking.divides(m, n, k))


def _c_warp_tile(own: Rung, m: int, n: int, k: int) -> CudaCSource:
    return _warp_tile(own.blocking, 2, own.blocking.divides(m, n, k))


def _warp_tile(block: Blocking, buffers: int, is_whole: bool) -> CudaCSource:
    own = (block.thread_rows, block.thread_columns, block.lane_rows, block.blocks_per_sm, buffers)
    numbers = ", ".join(map(str, (*block.tile, *own)))
    return CudaCSource("warp_tile.cu", f"warp_tile<{numbers}, {'true' if is_whole else 'false'}>")
