"""Remedies in the language that a kernel is written in."""

from __future__ import annotations

import re

from gpuedu.simt.program import Language

_IN_CUDA_C = (
    (re.compile(r"`if i < \w+\.size:`"), "`if (i < n)`, with n the number of elements"),
    (
        re.compile(r"`if i < (\w+)\.shape\[0\] and j < \1\.shape\[1\]:`"),
        "`if (i < rows && j < columns)`",
    ),
    (re.compile(r"cuda\.syncthreads\(\)"), "__syncthreads()"),
    (re.compile(r"cuda\.syncwarp\(\)"), "__syncwarp()"),
    (re.compile(r"cuda\.threadfence\(\)"), "__threadfence()"),
    (re.compile(r"`cuda\.atomic`"), "an atomic such as `atomicAdd`"),
    (
        re.compile(r"the host hears of it only under `@cuda\.jit\(debug=True, opt=False\)`"),
        "a failed assertion ends the launch, and the host hears of it at its next synchronisation",
    ),
)


def in_language(remedy: str, language: Language) -> str:
    """A remedy, which is written for Python, in the words of the kernel's language.

    >>> in_language("guard: `if i < x.size:`", Language.CUDA_C)
    'guard: `if (i < n)`, with n the number of elements'
    """
    if language is Language.PYTHON:
        return remedy
    for pattern, words in _IN_CUDA_C:
        remedy = pattern.sub(words, remedy)
    return remedy
