"""The secret of a class, which its cases are drawn from; kept beside its verdicts."""

from __future__ import annotations

import hashlib
import secrets
from pathlib import Path

from gpuedu.errors import GpueduError
from gpuedu.grading.batch.submissions import seed_for
from gpuedu.grading.batch.writing import write_once
from gpuedu.grading.verdict import SUFFIX, read_verdicts, seed_mark

NAME = "class-secret.txt"
DIGEST = "class-secret.sha256"
_NAME_IT = "name the earlier file with `--secret` (for nbgrader, with `ClassVerdicts.secret`)"


def class_secret(out: Path, given: Path | None = None) -> str:
    """The secret in the teacher's file, or else the one beside the verdicts, drawn the first time.

    A digest beside the verdicts records which secret the teacher's was.

    Raises:
        GpueduError: the teacher's file is not there, or empty; the folder of the verdicts was used
            with another secret before, or its own is gone.
    """
    path = out / NAME
    if given is not None:
        text = _read(given)
    elif path.exists() or not (out / DIGEST).exists():
        if not path.exists():
            _require_no_verdicts(out)
            write_once(path, secrets.token_hex(24))
        text = _read(path)
    else:
        raise GpueduError(
            f"{out} was used with a secret from a file of yours, but no file was named this time",
            remedy=f"{_NAME_IT}; or use another folder of verdicts",
        )
    _require_same(out, text)
    return text


def _read(given: Path) -> str:
    try:
        text = given.read_text("utf-8").strip()
    except OSError as fault:
        raise GpueduError(f"{given} cannot be read: {fault.strerror}") from fault
    except UnicodeDecodeError as fault:
        raise GpueduError(
            f"{given} is not text", remedy="a secret is any long text, in UTF-8"
        ) from fault
    if not text:
        raise GpueduError(f"{given} is empty", remedy="write any long text into it")
    return text


def _require_no_verdicts(out: Path) -> None:
    """Raise GpueduError where a new secret would be drawn beside verdicts of another one."""
    if any(out.glob(f"*{SUFFIX}")):
        raise GpueduError(
            f"{out} has verdicts, but the secret that they were made with is gone: with a new "
            "one, learners would be judged by cases and numbers that they were not given",
            remedy=f"put {NAME} back, or {_NAME_IT}; or use another folder of verdicts",
        )


def _require_same(out: Path, secret: str) -> None:
    """Raise GpueduError where the folder was used with another secret; note this one if with none.

    With another secret, learners would silently be judged by other numbers than they were given.
    """
    own, noted = out / NAME, out / DIGEST
    same = True
    if not own.exists() and not noted.exists():
        same = all(
            one["seed"] == seed_mark(seed_for(secret, one["learner"])) for one in read_verdicts(out)
        )
        if same:
            write_once(noted, digest_of(secret))
    else:
        before = _read(noted) if noted.exists() else digest_of(_read(own))
        same = before == digest_of(secret)
    if not same:
        used = _NAME_IT
        if own.exists() and not noted.exists():
            used = "leave out the secret's file, because the folder has its own"
        raise GpueduError(
            f"{out} was used with another secret before: with this one, learners would be "
            "judged by cases and numbers that they were not given",
            remedy=f"{used}; or use another folder of verdicts",
        )


def digest_of(secret: str) -> str:
    """Says whether a secret is the same as another, and nothing else."""
    return hashlib.sha256(f"class secret {secret}".encode()).hexdigest()
