"""How much memory a judge may take for one result: beyond it, asking for more raises."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_SIZES = Path("/proc/self/statm")


@contextmanager
def at_most_more(nbytes: int) -> Iterator[None]:
    """Inside, this process may write to ``nbytes`` more than it has now; its threads share that."""
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = _data_bytes() + nbytes
    others = (one for one in (soft, hard) if one != resource.RLIM_INFINITY)
    resource.setrlimit(resource.RLIMIT_DATA, (min(most, *others, most), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _data_bytes() -> int:
    """Memory of its own that this process has, whether or not anything is in it yet."""
    return int(_SIZES.read_bytes().split()[5]) * resource.getpagesize()
