"""The secret of a class, from which the cases are drawn; kept beside its verdicts."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from gpuedu.errors import GpueduError
from gpuedu.grading.verdict import SUFFIX

NAME = "class-secret.txt"


def class_secret(out: Path, given: Path | None = None) -> str:
    """The secret in a file of the teacher's; else that beside the verdicts, drawn at first.

    Raises:
        GpueduError: the teacher's file is not there, or empty.
    """
    if given is not None:
        try:
            text = given.read_text("utf-8").strip()
        except OSError as fault:
            raise GpueduError(f"{given} cannot be read: {fault.strerror}") from fault
        if not text:
            raise GpueduError(f"{given} is empty", remedy="write any long text into it")
        return text
    path = out / NAME
    if not path.exists():
        out.mkdir(parents=True, exist_ok=True)
        _draw(path)
    return path.read_text("utf-8").strip()


def _draw(path: Path) -> None:
    """Write a new secret, whole; of two commands that begin at once, both take the first's."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(secrets.token_hex(24) + "\n")
        file.flush()
        os.fsync(handle)
    try:
        os.link(beside, path)  # fails where there is one, which a renaming would replace
    except FileExistsError:
        pass
    except OSError:  # a file system without links
        beside.rename(path)
    beside.unlink(missing_ok=True)


def require_fresh(out: Path) -> None:
    """Raise GpueduError where verdicts lie there already."""
    if any(out.glob(f"*{SUFFIX}")):
        raise GpueduError(
            f"there are verdicts in {out} already",
            remedy="`--resume` goes on with them, `--again` grades all of them again",
        )
