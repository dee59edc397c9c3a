"""The kernels in a PTX text and the arguments that they take."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_ENTRY = re.compile(r"\.entry\s+([\w$]+)\s*(?:\((.*?)\))?\s*(?=[.{;])", re.DOTALL)
_PARAMETER = re.compile(
    r"\.param\s+(?:\.align\s+(\d+)\s+)?\.([a-z]+)(\d+)\s*((?:\.[a-z]+(?:\s+\d+)?\s*)*)[\w$]+"
    r"(?:\[(\d+)\])?"
)
_SHARED = re.compile(
    r"^\s*\.shared(?: \.align (\d+))? \.[a-z](\d+) ([\w$]+)((?:\[\d+\])*)(?=;| =)", re.MULTILINE
)


@dataclass(frozen=True)
class Parameter:
    """One argument of a kernel as the machine sees it.

    Args:
        size_bytes: 8 for every pointer; the whole size for a structure.
        kind: "u", "s" and "b" for integers, pointers and structures, "f" for floating point.
    """

    size_bytes: int
    kind: str


@dataclass(frozen=True)
class KernelSignature:
    """A kernel by its name in the PTX, with its parameters in order."""

    name: str
    parameters: tuple[Parameter, ...]


def plain_name(name: str) -> str:
    """A kernel's name as the source has it: C++ adds its scope and its parameters' types.

    >>> plain_name("_Z5scalePfi"), plain_name("_ZN4mine5scaleIfEEvPT_"), plain_name("scale")
    ('scale', 'scale', 'scale')
    """
    rest = re.match(r"_ZN?(?=\d)", name)
    if not rest:
        return name
    found, at = name, rest.end()
    while length := re.match(r"\d+", name[at:]):
        start = at + length.end()
        at = start + int(length[0])
        found = name[start:at]
        if not rest[0].endswith("N"):
            break
    return found


def kernel_signatures(ptx: str) -> tuple[KernelSignature, ...]:
    """The kernels in a text, in order.

    >>> kernel_signatures(".visible .entry f(.param .u64 f_param_0, .param .f32 f_param_1) { }")
    (KernelSignature(name='f', parameters=(Parameter(size_bytes=8, kind='u'),
                                           Parameter(size_bytes=4, kind='f'))),)
    """
    return tuple(
        KernelSignature(name, tuple(_parameters(parameters)))
        for name, parameters in _ENTRY.findall(ptx)
    )


def signature_to_plain(signature: KernelSignature) -> list[Any]:
    """A signature as lists, texts and numbers."""
    return [signature.name, [[one.size_bytes, one.kind] for one in signature.parameters]]


def signature_from_plain(plain: list[Any]) -> KernelSignature:
    """The signature that ``signature_to_plain`` was given."""
    name, parameters = plain
    return KernelSignature(name, tuple(Parameter(size, kind) for size, kind in parameters))


def static_shared_bytes(ptx: str) -> int:
    r"""Bytes of the shared arrays of constant size, of all kernels in the text together.

    >>> static_shared_bytes("\t.shared .align 4 .b8 tile[4096];")
    4096
    """
    total = 0
    for align, bits, _, sizes in _SHARED.findall(ptx):
        count = 1
        for size in re.findall(r"\d+", sizes):
            count *= int(size)
        step = int(align or 1)
        total = -(-total // step) * step + int(bits) // 8 * count
    return total


def _parameters(text: str) -> list[Parameter]:
    return [
        Parameter(int(bits) // 8 * int(count or 1), kind)
        for _, kind, bits, _, count in _PARAMETER.findall(text)
    ]
