"""Profiling a few steps: PyTorch's profiler around them, a mark around each."""

from __future__ import annotations

import gzip
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from gpuedu.profiles.errors import ProfileError
from gpuedu.profiles.reading import STEP_MARK, read_profile
from gpuedu.profiles.records import Profile

_LOG_LEVEL = "KINETO_LOG_LEVEL"
_SILENT = "6"


def profile(
    step: Callable[[], object], *, steps: int = 3, warmup: int = 1, memory: bool = False
) -> Profile:
    """Run ``step()`` under PyTorch's profiler and read what it saw.

    The host's operators are recorded, and the kernels and copies of a GPU if PyTorch has one.
    Recording itself costs time, mostly on the host: a step of many small operators looks longer
    than it is.

    Args:
        step: called without arguments; what it returns is dropped.
        steps: how many to look at.
        warmup: how many to run before; they are in the exported trace, not in the profile.
        memory: record each allocation too, for the exported trace.

    Raises:
        ProfileError: there is no step to run, or another profiler is running.
        Exception: what ``step`` raises; the profiler is stopped.
    """
    _refuse_nonsense(step, steps, warmup)
    import torch

    if torch.autograd._profiler_enabled():
        raise ProfileError(
            "another profiler is running, and PyTorch can run only one at a time",
            remedy="end it first: leave its `with` block, or call its `stop()`",
        )
    has_gpu = torch.cuda.is_available()
    # The lower of torch's two faces of the profiler: the first use of torch.profiler.profile brings
    # the whole compiler in, which takes seconds.
    profiler = torch.autograd.profiler.profile(
        use_device="cuda" if has_gpu else None, profile_memory=memory, use_kineto=True
    )
    with ExitStack() as running:
        with _log_of(has_gpu):
            running.enter_context(profiler)
        for _ in range(warmup):
            step()
        _finish(torch)
        for number in range(1, steps + 1):
            with torch.autograd.profiler.record_function(f"{STEP_MARK}{number}"):
                step()
        _finish(torch)
    return read_profile(_trace_of(profiler), name="the trace")


def _refuse_nonsense(step: Any, steps: int, warmup: int) -> None:
    if not callable(step):
        raise ProfileError(
            f"a step is something to call, this is {type(step).__name__}",
            remedy="`profile(step)`, without brackets after `step`",
        )
    if steps < 1 or warmup < 0:
        raise ProfileError(
            f"no steps to look at: steps={steps}, warmup={warmup}", remedy="steps=3, warmup=1"
        )


def _finish(torch: Any) -> None:
    """Let the device end what it was given, so that no step pays for what was before it."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()


@contextmanager
def _log_of(has_gpu: bool) -> Iterator[None]:
    """Keep the profiler's notes on its own start out of the notebook.

    It reads the level once, at its first start. With a GPU the log stays: it says why a trace has
    no kernels.
    """
    if has_gpu or _LOG_LEVEL in os.environ:
        yield
        return
    os.environ[_LOG_LEVEL] = _SILENT
    try:
        yield
    finally:
        os.environ.pop(_LOG_LEVEL, None)


def _trace_of(profiler: Any) -> bytes:
    """PyTorch's own trace, compressed; it can be asked for once, and only as a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(path))
        return gzip.compress(path.read_bytes())
