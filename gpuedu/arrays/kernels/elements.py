"""Where the elements of broadcast and strided arrays lie, as expressions of CUDA C."""

from __future__ import annotations

from collections.abc import Sequence

from gpuedu.arrays.errors import DeviceArrayValueError
from gpuedu.arrays.ndarray import ndarray

Axes = Sequence[int]


def is_reachable(array: ndarray) -> bool:
    """Whether every step of the array is a whole number of its elements."""
    return not any(
        stride % array.itemsize
        for extent, stride in zip(array.shape, array.strides, strict=True)
        if extent > 1
    )


def from_lowest(array: ndarray) -> ndarray:
    """The same elements from the lowest address on: axes that run backwards are reversed.

    A pointer has nothing before it, so the kernel is given the array's first byte in memory.
    """
    backwards = any(stride < 0 for stride in array.strides)
    turns = tuple(slice(None, None, -1 if stride < 0 else 1) for stride in array.strides)
    return array[turns] if backwards and array.size else array


def element(array: ndarray, shape: Axes, groups: Sequence[tuple[str, Axes]]) -> str:
    """The position of an element, counted from the lowest one.

    Args:
        array: Broadcast to ``shape``; those of its axes that have extent 1 are repeated.
        shape: What is walked over.
        groups: Names of running indices, each with the axes of ``shape`` that it runs over.

    >>> from gpuedu.arrays import cupy as cp
    >>> x = cp.zeros((4, 6))
    >>> element(x, (4, 6), [("i", (0, 1))])
    'i'
    >>> element(x[:, ::-2], (4, 3), [("i", (0, 1))])
    '4 + (i / 3LL) * 6LL + (i % 3LL) * -2LL'
    >>> element(x[0], (4, 6), [("_i", (0,)), ("_J", (1,))])
    '_J'
    """
    lead = len(shape) - array.ndim
    own = (1,) * lead + tuple(array.shape)
    strides = (0,) * lead + tuple(array.strides)
    steps = [0 if n == 1 else s // array.itemsize for n, s in zip(own, strides, strict=True)]
    base = sum((n - 1) * -s for n, s in zip(shape, steps, strict=True) if s < 0 and n)
    terms = [str(base)] if base else []
    for index, axes in groups:
        terms += _terms(index, [(shape[at], steps[at]) for at in axes])
    return " + ".join(terms) or "0"


def _terms(index: str, axes: list[tuple[int, int]]) -> list[str]:
    terms: list[str] = []
    below, total = 1, 1
    for extent, _ in axes:
        total *= extent
    for extent, step in reversed(_merged(axes)):
        if step:
            part = index if below == 1 else f"{index} / {below}LL"
            part = part if below * extent == total else f"{part} % {extent}LL"
            picked = part if part == index else f"({part})"
            terms.insert(0, picked if step == 1 else f"{picked} * {step}LL")
        below *= extent
    return terms


def _merged(axes: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Neighboring axes that one index can run over are one, to save divisions."""
    merged: list[tuple[int, int]] = []
    for extent, step in axes:
        if extent == 1:
            continue
        if merged and merged[-1][1] == step * extent:
            merged[-1] = (merged[-1][0] * extent, step)
        else:
            merged.append((extent, step))
    return merged


def common_shape(arrays: Sequence[ndarray]) -> tuple[int, ...]:
    """The shape that arrays are broadcast to.

    Raises:
        DeviceArrayValueError: They cannot be.
    """
    from numpy import broadcast_shapes

    shapes = [array.shape for array in arrays]
    try:
        return broadcast_shapes(*shapes)
    except ValueError:
        listed = " ".join(str(shape).replace(" ", "") for shape in shapes)
        raise DeviceArrayValueError(
            f"operands could not be broadcast together with shapes {listed}"
        ) from None
