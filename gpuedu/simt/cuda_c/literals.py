"""Numbers and characters as written in CUDA C."""

from __future__ import annotations

import re

import numpy as np

from gpuedu.simt.cuda_c.lowerer import Lowerer, Typed, constant
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.operators import unary
from gpuedu.simt.cuda_c.syntax import short, text_of
from gpuedu.simt.cuda_c.types import (
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    UNSIGNED,
    UNSIGNED_LONG,
    Number,
    number,
)


def literal(k: Lowerer, node: Node) -> Typed:
    """A number as C types it: ``1`` is int, ``1.0`` double, ``1.0f`` float."""
    text = text_of(node).replace("'", "").lower()
    if len(text) > _MOST:
        raise k.refuse(node, "a number that is written like this is not covered")
    if text[0] in "+-":  # the grammar takes a sign before a number for its part
        unsigned = _unsigned_literal(text[1:].strip())
        return unary(k, node, text[0], unsigned)
    return _unsigned_literal(text)


_MOST = 400
"""Characters of a number."""


def _unsigned_literal(text: str) -> Typed:
    is_hex = text.startswith("0x")
    is_float = "p" in text if is_hex else bool(re.search(r"[.e]", text))
    if is_float:
        suffix = "f" if text.endswith("f") else ""
        value = float.fromhex(text.rstrip("fl")) if is_hex else float(text.rstrip("fl"))
        return constant(FLOAT if suffix else DOUBLE, value)
    found = re.search(r"[ul]+$", text)
    suffix = found.group() if found else ""
    digits = text[: len(text) - len(suffix)]
    if digits.startswith("0") and digits.isdigit() and len(digits) > 1:
        digits = "0o" + digits[1:]
    value = int(digits, 0) & (2**64 - 1)  # of a larger one, NVRTC takes these bits, and warns
    return constant(_integer_type(value, suffix, decimal=not digits.startswith("0")), value)


def _integer_type(value: int, suffix: str, *, decimal: bool) -> Number:
    """The first type in C's list that holds the value."""
    candidates = [INT, UNSIGNED, LONG, UNSIGNED_LONG]
    if "u" in suffix:
        candidates = [UNSIGNED, UNSIGNED_LONG]
    elif decimal:
        candidates = [INT, LONG]
    if "l" in suffix:
        candidates = [kind for kind in candidates if kind.dtype.itemsize == 8]
    for kind in candidates:
        if value <= np.iinfo(kind.dtype).max:
            return kind
    return UNSIGNED_LONG


_ESCAPES = dict(zip("ntrabfv\\'\"?", "\n\t\r\a\b\f\v\\'\"?", strict=True))
_CODE = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3}))$")


def character(k: Lowerer, node: Node) -> Typed:
    r"""``'a'``, ``'\n'``, ``'\x41'``, ``'\101'``: a char, which is signed."""
    inner = text_of(node)[1:-1]
    coded = _CODE.match(inner)
    if coded:
        value = int(coded.group(1), 16) if coded.group(1) else int(coded.group(2), 8)
    elif len(inner) == 2 and inner[0] == "\\" and inner[1] in _ESCAPES:
        value = ord(_ESCAPES[inner[1]])
    elif len(inner) == 1 and inner.isascii():
        value = ord(inner)
    else:
        raise k.refuse(node, f"the character {short(node)} is not covered")
    return constant(number("int8"), np.int16(value))
