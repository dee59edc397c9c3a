"""Parameter lists such as ``"raw T x, float32 y"``, and the types that arguments give them.

Source: CuPy documentation, "User-Defined Kernels".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuedu.arrays.errors import DeviceArrayTypeError, DeviceArrayValueError
from gpuedu.arrays.ndarray import ndarray
from gpuedu.simt.cuda_c.types import Number

_FORM = re.compile(r"^(?P<raw>raw\s+)?(?P<type>\S+)\s+(?P<name>[A-Za-z_]\w*)$")


class UndecidedTypeError(DeviceArrayTypeError, KeyError):
    """A placeholder whose type no array determines. CuPy raises a KeyError with the letter."""


@dataclass(frozen=True)
class Parameter:
    """One parameter; ``dtype`` is None for a type's placeholder, which is one letter."""

    name: str
    type: str
    dtype: np.dtype | None
    raw: bool

    @property
    def is_raw(self) -> bool:
        """Whether the kernel indexes the array itself."""
        return self.raw

    @property
    def ctype(self) -> str:
        """The placeholder, or the type's name in CUDA C."""
        return self.type if self.dtype is None else c_name(self.dtype)


def read_parameters(text: str) -> tuple[Parameter, ...]:
    """Read a parameter list.

    Raises:
        DeviceArrayValueError: It is not of the form ``"[raw] TYPE name, ..."``.

    >>> [(p.name, p.type, p.is_raw) for p in read_parameters("raw T x, float32 y")]
    [('x', 'T', True), ('y', 'float32', False)]
    """
    if not text.strip():
        return ()
    return tuple(_parameter(part.strip(), text) for part in text.split(","))


def _parameter(part: str, whole: str) -> Parameter:
    found = _FORM.match(" ".join(part.split()))
    if found is None:
        raise DeviceArrayValueError(
            f"`{part}` in the parameters {whole!r} cannot be read",
            remedy='"float32 x, raw T y": a NumPy type or one letter, then a name',
        )
    name, kind = found["name"], found["type"]
    if name == "i":
        raise DeviceArrayValueError(
            "Can not use 'i' as a parameter name", remedy="another name: `i` is the index"
        )
    if name.startswith("_"):
        raise DeviceArrayValueError(
            f"Invalid parameter name: {name}", remedy="names that begin with `_` are reserved"
        )
    return Parameter(
        name, kind, None if _is_placeholder(kind) else _dtype(kind), bool(found["raw"])
    )


def _is_placeholder(kind: str) -> bool:
    return len(kind) == 1 and kind.isalpha()


def _dtype(kind: str) -> np.dtype:
    try:
        found = np.dtype(kind)
    except TypeError:
        raise DeviceArrayTypeError(
            f'data type "{kind}" not understood', remedy="a NumPy type such as float32, or T"
        ) from None
    c_name(found)
    return found


def c_name(dtype: np.dtype) -> str:
    """The CUDA C type of a dtype.

    >>> c_name(np.dtype(np.float32)), c_name(np.dtype(np.int64))
    ('float', 'long long')
    """
    if dtype.kind not in "biuf" or dtype.itemsize > 8:
        raise DeviceArrayTypeError(
            f"elements of {dtype} are not covered in these kernels",
            remedy="integers, and floats of 2 to 8 bytes",
        )
    return "__half" if dtype == np.float16 else str(Number(dtype))


Types = dict[str, np.dtype]


def decide_types(
    inputs: Sequence[Parameter],
    outputs: Sequence[Parameter],
    given: Sequence[Any],
    results: Sequence[ndarray] | None,
) -> tuple[Types, list[np.dtype], list[np.dtype]]:
    """What each placeholder stands for, and the dtype of each input and output.

    Arrays decide, outputs before inputs; a number takes the type of its parameter.

    Raises:
        DeviceArrayTypeError: Two arrays disagree.
        UndecidedTypeError: A placeholder stands for numbers only, or for an output only.
    """
    known: Types = {}
    for parameter, value in (
        *zip(outputs, results or (), strict=False),
        *zip(inputs, given, strict=True),
    ):
        if isinstance(value, ndarray):
            _agree(known, parameter, value.dtype)
    for parameter in (*inputs, *outputs):
        if parameter.dtype is None and parameter.type not in known:
            raise UndecidedTypeError(
                f"Unknown type: {parameter.type}: no array says what `{parameter.name}` is",
                remedy="name a type such as float32",
            )
    dtypes = [[p.dtype or known[p.type] for p in group] for group in (inputs, outputs)]
    return known, dtypes[0], dtypes[1]


def _agree(known: Types, parameter: Parameter, dtype: np.dtype) -> None:
    if parameter.dtype is not None:
        if dtype != parameter.dtype:
            raise DeviceArrayTypeError(
                f"Type is mismatched. {parameter.name} {dtype.name} {parameter.dtype.name}",
                remedy=f"`{parameter.name}.astype(np.{parameter.dtype.name})`",
            )
    elif known.setdefault(parameter.type, dtype) != dtype:
        raise DeviceArrayTypeError(
            f"Type is mismatched. {parameter.name} {dtype.name} {known[parameter.type].name} "
            f"{parameter.type}",
            remedy="convert one array with `.astype`, or use a second letter",
        )


def typedefs(known: Types) -> str:
    """The placeholders as types of CUDA C."""
    return " ".join(f"typedef {work_name(dtype)} {name};" for name, dtype in sorted(known.items()))


def work_name(dtype: np.dtype) -> str:
    """The type that the learner's code computes with: halves are floats until they are stored."""
    return "float" if dtype == np.float16 else c_name(dtype)


def uses_halves(dtypes: Iterable[np.dtype]) -> str:
    """The include that a source with half-precision numbers begins with, on a line of its own."""
    return "#include <cuda_fp16.h>\n" if any(dtype == np.float16 for dtype in dtypes) else ""


def as_number(value: Any, dtype: np.dtype) -> np.generic:
    """A number as its parameter takes it.

    Raises:
        OverflowError: An integer that does not fit.
    """
    place = np.empty((), dtype)
    place[()] = value
    return place[()]


def require_distinct(parameters: Sequence[Parameter]) -> None:
    """Refuse two parameters of one name; CuPy leaves that to the compiler."""
    names = [parameter.name for parameter in parameters]
    if len(set(names)) < len(names):
        raise DeviceArrayValueError(f"two parameters have the same name: {', '.join(names)}")


def require_kernel_name(name: str) -> None:
    """Refuse names that CUDA C cannot have."""
    if re.fullmatch(r"[a-zA-Z_]\w*", name) is None:
        raise DeviceArrayValueError(
            f'Invalid kernel name: "{name}"', remedy="letters, digits and underscores"
        )
