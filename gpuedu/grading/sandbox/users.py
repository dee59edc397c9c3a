"""Whose processes players are: never root's, whoever is grading."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterable
from pathlib import Path

from gpuedu.grading.sandbox.limits import SandboxError

PLAYERS = 61_183
"""User and group of players if the grader is root, or one of the numbers below it: distributions
give these to nobody, and systemd neither to services nor to homes (systemd, *Users, Groups, UIDs
and GIDs on systemd Systems*)."""
_USERS = 400
_READ, _READ_AND_ENTER = 0o4, 0o5
_FILES, _MOST_FILES = 4096, 2**20
"""What a grader needs, and what it takes of what it may have."""


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


def require_readable(paths: Iterable[Path]) -> None:
    """Raise SandboxError if players could not read a file or folder that is mounted for them.

    Folders above it do not matter: inside the sandbox there are others, which anyone may enter.
    """
    if players_user() is None:
        return
    for path in paths:
        needed = _READ_AND_ENTER if path.is_dir() else _READ
        if path.stat().st_mode & needed != needed:
            raise SandboxError(
                f"{path} can be read by its owner alone, and players do not run as root",
                remedy=f"`chmod -R o+rX {path}`, or the grader started as an ordinary user",
            )


def allow_files() -> None:
    """Let this process, which is not root, have many files open.

    The kernel counts by user the descriptors that were sent and are not received yet, and holds
    them against this limit of whoever sends another one. Players who are this user could leave some
    250 for each of their threads, and then no judge would get a player.

    Raises:
        SandboxError: the system allows too few.
    """
    if os.geteuid() == 0:
        return  # whom the kernel does not count, and who has another user's number
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if allowed < _FILES:
        raise SandboxError(
            f"a process may have {allowed} files open here, and a grader needs {_FILES}",
            remedy="`ulimit -Hn` shows the limit; whoever runs the machine can raise it",
        )
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
