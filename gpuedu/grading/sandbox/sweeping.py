"""Removes control groups and copies of a grader that was killed and so cannot do it itself.

A separate process waits for the grader's end, on a pipe that nothing writes to.
"""

from __future__ import annotations

import atexit
import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache

from gpuedu.grading.sandbox.cgroups import sweep_groups
from gpuedu.grading.sandbox.copies import sweep_copies

_LOOKS, _PAUSE_S = 50, 0.2
"""Its judges end a little later than the grader."""


def sweep() -> None:
    """Remove what killed graders left behind."""
    sweep_groups()
    sweep_copies()


@contextlib.contextmanager
def swept() -> Iterator[None]:
    """Whatever ends this process inside the block, none of its groups and copies is left."""
    with _sweeper() as sweeper:
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                sweep()  # one of several workers may have been killed
            assert sweeper.stdin is not None
            sweeper.stdin.write(b"done")
            with contextlib.suppress(OSError):
                sweeper.stdin.close()


@cache
def keep_swept() -> subprocess.Popen:
    """Sweep what others left; however this process ends, nothing of its own is left.

    Returns:
        Who sees to that: it is told nothing, since what this process started ends after it.
    """
    with contextlib.suppress(OSError):
        sweep()
    sweeper = _sweeper()
    assert sweeper.stdin is not None
    atexit.register(sweeper.stdin.close)
    return sweeper


def _sweeper() -> subprocess.Popen:
    command = [sys.executable, "-m", __name__]
    return subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)


def main() -> None:
    """Wait until the grader is gone; if it did not say that it was done, sweep."""
    if not sys.stdin.buffer.read():
        for _ in range(_LOOKS):
            with contextlib.suppress(OSError):
                sweep()
            time.sleep(_PAUSE_S)


if __name__ == "__main__":
    main()
