"""Which numbers each learner of a class was given: by a code that only the secret gives."""

from __future__ import annotations

import base64
import hashlib
import hmac
from enum import StrEnum
from pathlib import Path

from gpuedu.errors import GpueduError
from gpuedu.grading.batch.writing import write_once

NAME = "variants.txt"
_LENGTH = 12


class Variants(StrEnum):
    """Who has their own numbers: nobody, each class, or each learner."""

    PUBLISHED = "published"
    CLASS = "class"
    LEARNER = "learner"


def variants_in(out: Path) -> Variants:
    """What was chosen for the class whose verdicts are in a folder.

    Raises:
        GpueduError: the file that says so says something else.
    """
    path = out / NAME
    if not path.exists():
        return Variants.PUBLISHED
    said = path.read_text("utf-8").strip()
    try:
        return Variants(said)
    except ValueError as fault:
        known = ", ".join(Variants)
        raise GpueduError(f"{path} says {said[:40]!r}", remedy=f"one of {known}") from fault


def choose_variants(out: Path, wanted: Variants) -> None:
    """Note a choice beside the secret, where every command that grades finds it.

    Raises:
        GpueduError: a different one was made before: what was handed out would be judged by other
            numbers.
    """
    path = out / NAME
    if path.exists() and variants_in(out) is not wanted:
        raise GpueduError(
            f"numbers were handed out by {variants_in(out)} before, but {wanted} is asked for now",
            remedy="use another folder of verdicts, with its own secret",
        )
    write_once(path, wanted.value)


def code_for(secret: str, learner: str, variants: Variants) -> str:
    """The code of a learner's numbers; without the secret, nobody can work it out."""
    if variants is Variants.PUBLISHED:
        return ""
    whose = f"learner {learner}" if variants is Variants.LEARNER else "class"
    digest = hmac.digest(secret.encode(), f"variant: {whose}".encode(), hashlib.sha256)
    return base64.b32encode(digest).decode().lower()[:_LENGTH]
