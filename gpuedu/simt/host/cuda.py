"""``cuda`` where there is no GPU: the names of ``numba.cuda``, for the SIMT machine.

What a lesson's ``cuda`` is on the cpu tier (see ``gpuedu.backend``).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from gpuedu.needs import has_package
from gpuedu.simt.host import random  # noqa: F401
from gpuedu.simt.host.arguments import In, InOut, Out  # noqa: F401
from gpuedu.simt.host.arrays import (  # noqa: F401
    as_cuda_array,
    device_array,
    device_array_like,
    from_cuda_array_interface,
    is_cuda_array,
    managed_array,
    mapped,
    mapped_array,
    mapped_array_like,
    pinned,
    pinned_array,
    pinned_array_like,
    to_device,
)
from gpuedu.simt.host.decorators import jit  # noqa: F401
from gpuedu.simt.host.devices import (  # noqa: F401
    close,
    current_context,
    detect,
    get_current_device,
    gpus,
    list_devices,
    select_device,
)
from gpuedu.simt.host.errors import CudaNotImplementedError
from gpuedu.simt.host.reduction import Reduce
from gpuedu.simt.host.streams import (  # noqa: F401
    default_stream,
    event,
    event_elapsed_time,
    external_stream,
    legacy_default_stream,
    per_thread_default_stream,
    stream,
    synchronize,
)
from gpuedu.simt.host.stubs import in_kernel_names
from gpuedu.simt.typing_rules.builtin_rules import named_type

globals().update(in_kernel_names())

implementation = "gpuedu"
reduce = Reduce
warpsize = 32


def is_available() -> bool:
    """Whether kernels can be launched: always, on the machine.

    ``gpuedu.backend.has_gpu()`` says whether they run on a GPU.
    """
    return True


def is_supported_version() -> bool:
    """Whether the CUDA runtime is a known one: always, as there is none."""
    return True


def is_float16_supported() -> bool:
    """Whether kernels may compute in half precision."""
    return True


def is_bfloat16_supported() -> bool:
    """Whether kernels may compute in bfloat16."""
    return False


def cuda_error() -> None:
    """Why the driver could not start: it was not asked to."""
    return


@contextmanager
def defer_cleanup() -> Iterator[None]:
    """Memory is freed when nothing refers to it, inside the block as outside."""
    yield


def profile_start() -> None:
    """Start profiling: traces are taken anyway."""


def profile_stop() -> None:
    """End profiling."""


@contextmanager
def profiling() -> Iterator[None]:
    """Profile the block: traces are taken anyway."""
    yield


_ABSENT = {
    "compile_ptx": "gpuedu.lens asks the real compiler",
    "compile": "gpuedu.lens asks the real compiler",
    "declare_device": "write the function in Python",
    "open_ipc_array": "one process is all there is here",
    "vectorize": "write the loop over elements as a kernel",
    "guvectorize": "write the loop over elements as a kernel",
}


def _numba_type(name: str) -> Any:
    """Numba's type of this name, or NumPy's where Numba is not here; None where there is none."""
    if not has_package("numba"):
        dtype = named_type(f"cuda.{name}")
        return dtype and dtype.type
    from numba.core import types

    kind = getattr(types, name, None)
    return kind if isinstance(kind, types.Type) else None


def __getattr__(name: str) -> Any:
    """Numba's types (``cuda.float32``, ``cuda.types``), found when they are asked for."""
    if name == "types":
        return import_module("numba.core.types")
    if name in _ABSENT:
        raise CudaNotImplementedError(
            f"`cuda.{name}` is not modeled by the SIMT machine", remedy=_ABSENT[name]
        )
    kind = None if name.startswith("_") else _numba_type(name)
    if kind is not None:
        return kind
    raise AttributeError(f"module 'cuda' has no attribute {name!r}")
