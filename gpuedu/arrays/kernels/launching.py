"""A launch of a CUDA C kernel by its CuPy object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.arrays.account import note_operation
from gpuedu.arrays.errors import DeviceArrayTypeError, DeviceArrayValueError
from gpuedu.arrays.kernels.source import MadeSource
from gpuedu.arrays.ndarray import SCALARS, ndarray
from gpuedu.arrays.transfer import copied_to_host
from gpuedu.arrays.wrap import from_interface, unsupported
from gpuedu.interrupts import quiet_interrupts
from gpuedu.simt import arguments
from gpuedu.simt.cuda_c import CudaCKernel
from gpuedu.simt.host import hazards
from gpuedu.simt.host.errors import KernelHazardError
from gpuedu.simt.host.limits import dimensions
from gpuedu.simt.host.settings import settings
from gpuedu.trace import Space, Trace

_FAULT_BYTES = 8


def on_device(value: Any) -> Any:
    """An argument of a kernel: a device array, a number, or a record.

    Raises:
        DeviceArrayTypeError: A host array, or anything else that no kernel takes.
    """
    if isinstance(value, (ndarray, *SCALARS)):
        return value
    if hasattr(value, "__cuda_array_interface__") and not isinstance(value, np.ndarray):
        return from_interface(value)
    raise unsupported(value)


def launch(
    kernel: CudaCKernel,
    grid: Any,
    block: Any,
    given: Sequence[Any],
    *,
    shared_mem: int = 0,
    source: MadeSource | None = None,
    stacklevel: int = 3,
) -> Trace | None:
    """Run a kernel; what it moved enters the account of operations.

    ``source`` is the text that the kernel was made from, if the learner did not write all of it.

    Raises:
        LaunchError: No device accepts the configuration.
        KernelArgumentError: An argument does not fit its parameter.
        KernelHazardError: A GPU would have stopped the kernel, or it would never end.
    """
    from gpuedu.simt.launch import run

    prepared = arguments.prepare(given)
    with quiet_interrupts():
        trace = run(
            kernel,
            dimensions(extents("grid", grid), "grid"),
            dimensions(extents("block", block), "block"),
            shared_mem,
            prepared,
            trace=settings.trace,
        )
    shown = trace
    if source is not None and trace is not None:
        trace = source.told(trace)
        shown = source.in_parts(trace)
    try:
        hazards.tell(shown, stacklevel + 1)
    except KernelHazardError:  # it names an index, which may be a value of the device's
        copied_to_host(_FAULT_BYTES, kernel.name, hidden=f"why {kernel.name} was stopped")
        raise
    note_operation(kernel.name, *moved_bytes(trace))
    return trace


def extents(what: str, value: Any) -> tuple[int, ...]:
    """A grid or block as CuPy takes it: a tuple of one to three whole numbers.

    CuPy turns a 0 into 1 and drops what follows the third number; both are refused here.

    Raises:
        DeviceArrayTypeError: Not a tuple, or not of whole numbers.
        DeviceArrayValueError: Too many numbers, or none.
    """
    if not isinstance(value, tuple):
        shown = f"({value!r},)" if isinstance(value, int | np.integer) else f"tuple({value!r})"
        raise DeviceArrayTypeError(
            f"Argument '{what}' has incorrect type (expected tuple, got {type(value).__name__})",
            remedy=f"`{shown}`",
        )
    if not 1 <= len(value) <= 3:
        raise DeviceArrayValueError(f"the {what} is {value!r}", remedy="one to three numbers")
    for extent in value:
        if not isinstance(extent, int | np.integer) or isinstance(extent, bool):
            raise DeviceArrayTypeError(
                f"the {what} {value!r} contains {extent!r}", remedy="whole numbers, as `//` gives"
            )
    return tuple(int(extent) for extent in value)


def moved_bytes(trace: Trace | None) -> tuple[int, int]:
    """Bytes of global memory that a launch read and wrote, each byte once."""
    used = [use for use in trace.arrays if use.space is Space.GLOBAL] if trace is not None else []
    return sum(use.read_bytes for use in used), sum(use.written_bytes for use in used)
