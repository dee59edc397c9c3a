"""``cp.cuda``: the device, its memory, streams and events, as CuPy calls them.

There is one device, which runs everything at once. ``gpuedu.simt.host`` has the same under
``numba.cuda``'s names; they share their memory.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from gpuedu.arrays.cuda.stream import (  # noqa: F401
    Event,
    ExternalStream,
    Stream,
    get_current_stream,
    get_elapsed_time,
)
from gpuedu.arrays.device import Device, get_device_id, is_available  # noqa: F401
from gpuedu.arrays.lists import cupy_names, missing
from gpuedu.arrays.memory import (  # noqa: F401
    Memory,
    MemoryPointer,
    MemoryPool,
    get_allocator,
    set_allocator,
    using_allocator,
)
from gpuedu.arrays.memory import allocate as alloc  # noqa: F401
from gpuedu.arrays.pinned import PinnedMemoryPool, alloc_pinned_memory  # noqa: F401

_MODULES = ("compiler", "device", "memory", "nvtx", "runtime", "stream")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"gpuedu.arrays.cuda.{name}")
    raise missing("cupy.cuda", name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES} & cupy_names("cupy.cuda"))
