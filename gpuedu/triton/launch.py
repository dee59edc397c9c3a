"""Run a Triton kernel on the CPU, and return the account of what its programs did."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from gpuedu.errors import GpueduError
from gpuedu.needs import has_package, missing
from gpuedu.trace import WARP_SIZE, Argument, Launch, Trace
from gpuedu.triton.account import Account
from gpuedu.triton.memory import Memory, parts

Extent = int | Sequence[int]


def simulate(
    kernel: Any,
    grid: Extent | Callable[[Mapping[str, Any]], Extent],
    threads: int,
    *arguments: Any,
    watch: Sequence[int] = (0,),
    unwritten: Sequence[str] = (),
    pointed: Mapping[str, torch.Tensor] | None = None,
    **constants: Any,
) -> Trace:
    """Run a Triton kernel in Triton's interpreter, without a GPU, and return the account of it.

    Tensors are changed in place. Hazards are findings of the trace, not exceptions.

    Args:
        kernel: What ``triton.jit`` made of a function.
        grid: Programs: an int, up to three, or a function of the arguments by name that returns
            them.
        threads: Of a program: 32 times ``num_warps``.
        arguments: Tensors of PyTorch, NumPy arrays, and numbers, in the kernel's order; also tuples
            and Triton's tensor descriptors.
        watch: Programs, by linear number, whose accesses are kept one by one.
        unwritten: Arrays, by the kernel's names for them, that hold nothing yet, such as those of
            ``torch.empty``: reading what no program has stored there is reported.
        pointed: Further tensors, by names for them, that the kernel reaches through their
            ``data_ptr()``: by numbers in one of its arrays.
        constants: Further arguments by name, such as the ``tl.constexpr``.

    Raises:
        GpueduError: Arguments do not fit, or Triton does not accept the kernel.
        MissingPackageError: Triton is not installed.
    """
    if not has_package("triton"):
        raise missing("triton")
    from gpuedu.triton.interpreter import Kernel

    of = Kernel(kernel)
    given = bind(of.signature, of.function.__name__, arguments, constants)
    extent = grid(given) if callable(grid) else grid
    size = _three(extent)
    memory = Memory(given, unwritten, pointed)
    account = Account(of.sources, memory, size, warps_of(threads), watch)
    converted = of.convert(memory.given)
    with of.running(account, size) as place_at, np.errstate(all="ignore"):
        account.run_all(lambda: of.run(**converted), place_at)
    memory.give_back()
    launch = Launch(
        of.function.__name__,
        size,
        (threads, 1, 1),
        account.sources.all,
        tuple(_describe(*part) for one in given.items() for part in parts(*one)),
    )
    return account.trace(launch)


def bind(
    signature: inspect.Signature, name: str, arguments: Sequence[Any], constants: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments of a kernel by name; NumPy arrays become tensors of the same memory.

    Raises:
        GpueduError: they are not the ones that it takes.
    """
    try:
        bound = signature.bind(*arguments, **constants)
    except TypeError as fault:
        raise GpueduError(
            f"`{name}` cannot be launched with these arguments: {fault}",
            remedy=f"It takes {', '.join(signature.parameters)}.",
        ) from None
    bound.apply_defaults()
    return {
        name: torch.from_numpy(value) if isinstance(value, np.ndarray) else value
        for name, value in bound.arguments.items()
    }


def _three(extent: Extent) -> tuple[int, int, int]:
    found = (extent,) if isinstance(extent, int) else tuple(extent)
    if not 1 <= len(found) <= 3 or any(not isinstance(n, int) or n < 1 for n in found):
        raise GpueduError(
            f"a grid is one to three whole numbers, at least 1, got {extent!r}",
            remedy="Write `(programs,)`, or `(rows, columns)`.",
        )
    x, y, z = (*found, 1, 1)[:3]
    return x, y, z


def warps_of(threads: int) -> int:
    """The warps of a program; GpueduError if no device can have such a program."""
    if threads not in (32 << n for n in range(6)):
        raise GpueduError(
            f"a program has 32, 64, ..., or 1024 threads, got {threads!r}",
            remedy="4 warps, Triton's default, are 128 threads.",
        )
    return threads // WARP_SIZE


def _describe(name: str, value: Any) -> Argument:
    if isinstance(value, torch.Tensor):
        return Argument(name, "array", str(value.dtype).removeprefix("torch."), tuple(value.shape))
    number = float(value) if isinstance(value, int | float) else None
    return Argument(name, "scalar", type(value).__name__, (), number)
