"""Remedies: what to try about an index that is outside, and in which language to say it."""

from __future__ import annotations

import re

from gpuedu.simt.program import Language
from gpuedu.trace import Space

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_WRAPPED = 1 << 31  # no array of a lesson is as long; an unsigned int below zero is

_IN_CUDA_C = (
    (re.compile(r"`if i < \w+\.size:`"), "`if (i < n)`, with n the number of elements"),
    (re.compile(r"`\w+\.size`"), "the number of elements"),
    (re.compile(r"`\w+\.shape\[\d\]`"), "its extent"),
    (re.compile(r"cuda\.syncthreads\(\)"), "__syncthreads()"),
    (re.compile(r"cuda\.syncwarp\(\)"), "__syncwarp()"),
    (re.compile(r"cuda\.threadfence\(\)"), "__threadfence()"),
    (re.compile(r"`cuda\.atomic`"), "an atomic such as `atomicAdd`"),
    (
        re.compile(r"the host hears of it only under `@cuda\.jit\(debug=True, opt=False\)`"),
        "a failed assertion ends the launch, and the host hears of it at its next synchronization",
    ),
)


def in_language(remedy: str, language: Language) -> str:
    """A remedy, written for Python, in the words of the kernel's language.

    >>> in_language("guard: `if i < x.size:`", Language.CUDA_C)
    'guard: `if (i < n)`, with n the number of elements'
    """
    if language is Language.PYTHON:
        return remedy
    for pattern, words in _IN_CUDA_C:
        remedy = pattern.sub(words, remedy)
    return remedy


def stay_inside(
    array: str,
    index: tuple[int, ...],
    shape: tuple[int, ...],
    space: Space,
    dynamic_bytes: int | None,
) -> str:
    """What to try about an index that is not inside: by where it is, and in what memory."""
    if min(index) < 0:
        return "guard the first elements: there is nothing before the start of an array"
    if max(index) >= _WRAPPED:
        return (
            "an unsigned number went below zero and wrapped around: subtract only where it is "
            "large enough, or use a signed type"
        )
    if dynamic_bytes is not None:
        return (
            f"the launch gave each block {dynamic_bytes:,} bytes of dynamic shared memory: pass "
            "the bytes that all its elements need"
        )
    if space in (Space.SHARED, Space.LOCAL):
        return (
            f"make `{array}` as large as its largest index requires, or let only threads whose "
            "index is inside do this"
        )
    axis = next(d for d, (i, n) in enumerate(zip(index, shape, strict=True)) if i >= n)
    which, bound, guard = f"{_ORDINALS[axis]} index", f"{array}.shape[{axis}]", ""
    if len(shape) == 1:
        which, bound, guard = "index", f"{array}.size", f" such as `if i < {array}.size:`"
    return (
        f"keep the {which} of `{array}`, here {index[axis]}, below `{bound}`: by a guard{guard}, "
        "or by the bound of the loop that it comes from"
    )
