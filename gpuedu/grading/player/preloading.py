"""What a zygote imports, and tries, before players are forked, so that they need not.

All of it is the course's own, and leaves only one thread: a fork of a process that has run parallel
code can hang.
"""

from __future__ import annotations

import gc
import importlib
import pkgutil
import sys
import threading
from collections.abc import Iterator
from types import ModuleType

from gpuedu.grading.player.huge_pages import use_huge_pages

_MACHINE = (
    *("gpuedu.simt", "gpuedu.compilers", "gpuedu.arrays", "gpuedu.lens"),
    *("gpuedu.grading.player.serving", "cloudpickle"),
)
_WITH = {
    "torch": (
        *("torch.distributed", "torch.utils.data", "torch.nn.parallel"),
        "torch._dynamo",  # the first optimizer of a process would import it, in a check's time
    ),
    "torch.utils.data": ("torch.utils.serialization",),
    "gpuedu.training": ("torch.profiler._cupti_monitor",),
    "gpuedu.multi": ("gpuedu.multi.light", "torch.distributed.launcher"),
    "triton": ("gpuedu.triton",),
}
"""What comes, sooner or later, with another module."""
_LEFT_OUT = (".judge", "__main__", ".widgets", "_page")


def import_machine() -> None:
    """Import what every lesson on kernels uses, and run a kernel."""
    import numpy

    numpy.random.default_rng()
    for name in _MACHINE:
        _import_whole(name)
    sys.modules["gpuedu.grading.player.device.modules"].prepare()
    _run_a_kernel()
    _settle()


def import_lesson(slug: str, imports: str) -> None:
    """Import what a lesson's plays and its setup cell ask for.

    Args:
        slug: the lesson's.
        imports: the import statements of the lesson's own setup cell, not of a submission's.
    """
    from gpuedu.exercises.registry import load_play
    from gpuedu.syllabus import lesson

    plays = [load_play(exercise) for exercise in lesson(slug).exercises]
    if any(play.by_operations for play in plays):
        _import_whole("gpuedu.grading.player.operations")
    if any(play.compiles for play in plays):
        _compile_a_function()
    exec(compile(imports, "<imports>", "exec"), {"__name__": "__main__"})
    for name, others in _WITH.items():
        if name in sys.modules:
            for other in others:
                _import_whole(other)
    for name in sorted(_begun()):
        _import_whole(name)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    _settle()


def _begun() -> set[str]:
    """Packages of the course of which something is imported."""
    parts = (name.split(".") for name in sys.modules if name.startswith("gpuedu."))
    packages = {".".join(one[:2]) for one in parts if len(one) > 2}
    return packages - {"gpuedu.exercises", "gpuedu.grading", "gpuedu.triton"}


def _import_whole(name: str) -> None:
    """Import a module, and of the course's packages all that is below."""
    module = importlib.import_module(name)
    if name.startswith("gpuedu."):
        for below in _below(module):
            importlib.import_module(below)


def _below(package: ModuleType) -> Iterator[str]:
    paths = getattr(package, "__path__", ())
    for found in pkgutil.walk_packages(paths, package.__name__ + "."):
        if not any(part in found.name for part in _LEFT_OUT):
            yield found.name


def _run_a_kernel() -> None:
    """The first launch of a process takes longer: patterns are compiled, tables are made."""
    import numpy as np

    from gpuedu.backend import cuda
    from gpuedu.exercises.kernels.launching import run_kernel

    @cuda.jit
    def sums_of_blocks(values, sums):
        """One block of 64 threads adds up 64 values; thread 0 alone writes, after the barrier."""
        tile = cuda.shared.array(64, np.float32)
        lane, place = cuda.threadIdx.x, cuda.grid(1)
        tile[lane] = values[place] if place < values.size else np.float32(0)
        cuda.syncthreads()
        step = 32
        while step:
            if lane < step:
                tile[lane] += tile[lane + step]
            cuda.syncthreads()
            step //= 2
        if lane == 0:
            cuda.atomic.add(sums, 0, tile[0])

    sums = np.zeros(1, np.float32)
    run_kernel(sums_of_blocks, 2, 64, np.ones(100, np.float32), sums)
    if sums[0] != 100:
        raise RuntimeError(f"the machine adds 100 ones up to {sums[0]}")


def _compile_a_function() -> None:
    """The first function of a process takes Numba longer; not a parallel one: it starts threads."""
    import numba
    import numpy as np

    @numba.njit
    def doubled(x, out):
        for i in range(x.size):
            out[i] = 2 * x[i]

    x, out = np.ones(3, np.float32), np.zeros(3, np.float32)
    doubled(x, out)
    if (out != 2).any():
        raise RuntimeError(f"compiled code doubles ones to {out}")


def _settle() -> None:
    if threading.active_count() > 1:
        raise RuntimeError(f"threads in the zygote: {threading.enumerate()}")
    gc.collect()
    gc.freeze()  # what is shared with players is not copied because a collection looks at it
    use_huge_pages()
