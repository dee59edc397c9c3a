"""An exercise with other numbers, drawn from a code, so that a class's answers are its own.

Some exercises are answered by values, which could be copied from the public solutions. Their module
``judge.variant`` has ``VARIANT``, a function that draws a ``Variant`` from a generator of random
numbers. The code "" stands for the course as it is published.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gpuedu.errors import UnknownNameError
from gpuedu.exercises.contract import Judge

CODE = re.compile(r"[a-z2-7]{4,40}")
"""The form of a code, as in notebooks."""


@dataclass(frozen=True)
class Variant:
    """One exercise as drawn from a code.

    Attributes:
        judge: knows the truth of this variant.
        edits: what replaces what in the exercise's cells: (public text, text of the variant).
        values: name of the learner's dict, and the right values in it.
        pictures: those that show the variant's numbers, by name.
    """

    judge: Judge
    edits: tuple[tuple[str, str], ...]
    values: tuple[str, Mapping[str, Any]]
    pictures: Mapping[str, Callable[..., Any]] = field(default_factory=dict)


def chance(code: str, exercise: str) -> np.random.Generator:
    """The source of a variant's numbers: the same for a code, different for each exercise."""
    digest = hashlib.sha256(f"variant {code} {exercise}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:16], "big"))


def require_code(code: str) -> None:
    """Raise UnknownNameError if a text is neither empty nor the code of a variant."""
    if not isinstance(code, str) or (code and not CODE.fullmatch(code)):
        raise UnknownNameError(
            f"{code!r} is not the code of a variant",
            remedy="run the setup cell as it was handed out",
        )
