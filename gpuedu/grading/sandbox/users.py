"""Whose processes players are: never root's, whoever is grading."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from gpuedu.grading.sandbox.limits import SandboxError

PLAYERS = 65_533
"""User and group of players if the grader is root, or one of the numbers below it: distributions
give these to nobody. Not that of ``nobody`` itself, which may own files and processes."""
_USERS = 1000
_READ_AND_ENTER = 0o5


def players_user() -> int | None:
    """The user that players become; None if they stay the grader's user, which is not root.

    Each process that grades has another one, since what the kernel counts by user (descriptors in
    flight, say) would be taken from those who are graded beside.
    """
    return PLAYERS - os.getpid() % _USERS if os.geteuid() == 0 else None


def require_ordinary_user() -> None:
    """Raise SandboxError if code without a sandbox would run as root."""
    if os.geteuid() == 0:
        raise SandboxError(
            "`--no-sandbox` would run learners' code as root, which may do anything here",
            remedy="leave it out: root can make the sandbox, in which learners' code is another "
            "user; or start the grader as an ordinary user",
        )


def require_readable(folders: Iterable[Path]) -> None:
    """Raise SandboxError if players could not read a folder that is mounted for them.

    Folders above it do not matter: inside the sandbox there are others, which anyone may enter.
    """
    if players_user() is None:
        return
    for folder in folders:
        if folder.stat().st_mode & _READ_AND_ENTER != _READ_AND_ENTER:
            raise SandboxError(
                f"{folder} can be read by its owner alone, and players do not run as root",
                remedy=f"`chmod -R o+rX {folder}`, or the grader started as an ordinary user",
            )
