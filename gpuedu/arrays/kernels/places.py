"""The arguments of a made kernel: how each is declared, and what stands for its element."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuedu.arrays.errors import DeviceArrayTypeError
from gpuedu.arrays.kernels.elements import element, from_lowest, is_reachable
from gpuedu.arrays.kernels.parameters import Parameter, as_number, c_name, work_name
from gpuedu.arrays.kernels.source import MADE
from gpuedu.arrays.ndarray import ndarray


@dataclass(frozen=True, eq=False)
class ArgumentPlace:
    """One argument: a number, or an array and the index of its element.

    The kernel's parameter has the learner's name, so that findings have it, too; in the loop the
    name stands for the element.
    """

    parameter: Parameter
    argument: Any
    dtype: np.dtype
    index: str = ""
    written: bool = False

    @property
    def declaration(self) -> str:
        """The kernel's parameter."""
        kind, name = c_name(self.dtype), self.parameter.name
        if not isinstance(self.argument, ndarray):
            return f"const {kind} {name}"
        return f"{kind}* {name}" if self.written else f"const {kind}* {name}"

    @property
    def alias(self) -> str:
        """A second name for the memory, which the element's name does not hide."""
        if self.parameter.raw or not isinstance(self.argument, ndarray):
            return ""
        kind, name = c_name(self.dtype), self.parameter.name
        const = "" if self.written else "const "
        return f"{const}{kind}* {MADE}{name} = {name};"

    @property
    def opening(self) -> str:
        """What makes the name stand for the element."""
        if self.parameter.raw or not isinstance(self.argument, ndarray):
            return ""
        name = self.parameter.name
        lies = f"{MADE}{name}[{self.index}]"
        if self.written:
            return f"{c_name(self.dtype)}& {name} = {lies};"
        return f"const {work_name(self.dtype)} {name} = {lies};"


class Places:
    """The arguments of one call, walked over in ``shape`` by the named indices."""

    def __init__(
        self,
        shape: Sequence[int],
        groups: Sequence[tuple[str, Sequence[int]]] | None = None,
    ) -> None:
        self.shape = tuple(shape)
        self._groups = groups or [("i", range(len(self.shape)))]
        self._copies: list[tuple[ndarray, ndarray]] = []

    def inputs(
        self, parameters: Sequence[Parameter], values: Sequence[Any], dtypes: Sequence[np.dtype]
    ) -> list[ArgumentPlace]:
        """Arguments that are read: numbers become those of their types."""
        found = []
        for parameter, value, dtype in zip(parameters, values, dtypes, strict=True):
            if isinstance(value, ndarray):
                found.append(self._array(parameter, value, dtype, written=False))
            elif parameter.raw:
                raise DeviceArrayTypeError(f"the raw parameter `{parameter.name}` takes an array")
            else:
                found.append(ArgumentPlace(parameter, as_number(value, dtype), dtype))
        return found

    def outputs(
        self, parameters: Sequence[Parameter], values: Sequence[ndarray], dtypes: Sequence[np.dtype]
    ) -> list[ArgumentPlace]:
        """Arguments that are written."""
        rows = zip(parameters, values, dtypes, strict=True)
        return [self._array(*row, written=True) for row in rows]

    def _array(
        self, parameter: Parameter, value: ndarray, dtype: np.dtype, *, written: bool
    ) -> ArgumentPlace:
        usable = value.flags.c_contiguous if parameter.raw else is_reachable(value)
        if not usable:
            copy = value.copy()
            if written:
                self._copies.append((value, copy))
            value = copy
        if parameter.raw:
            return ArgumentPlace(parameter, value, dtype, written=written)
        index = element(value, self.shape, self._groups)
        return ArgumentPlace(parameter, from_lowest(value), dtype, index, written)

    def copy_back(self) -> None:
        """What was written into copies goes where it belongs."""
        for target, copy in self._copies:
            target[...] = copy


def with_raw_properties(text: str, places: Sequence[ArgumentPlace]) -> str:
    """``x.size()``, ``x.shape()[0]``, ``x.ndim`` of raw arrays and ``_ind.size()`` as numbers."""
    for place in places:
        if place.parameter.raw and isinstance(place.argument, ndarray):
            name, array = place.parameter.name, place.argument
            text = re.sub(rf"\b{name}\.size\(\)", f"{array.size}LL", text)
            text = re.sub(rf"\b{name}\.ndim\b", str(array.ndim), text)
            for axis, extent in enumerate(array.shape):
                pattern = rf"\b{name}\.shape\(\)\s*\[\s*{axis}\s*\]"
                text = re.sub(pattern, f"{extent}LL", text)
    return re.sub(r"\b_ind\.size\(\)", "_n", text)
