"""The command that puts a process into bubblewrap: what it can see, and nothing else.

The system and Python are read-only; of the course there is only what runs beside a learner's code.
No judge, no solution, no test, no other submission is mounted, so none can be read.

An ordinary user gets a user namespace, with another user number. Root would be root in there too,
and the kernel lets root write to much of ``/proc`` by the number alone. So root makes the other
namespaces without that one, and what runs inside first becomes ``players_user``.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from gpuedu.grading.sandbox.limits import SandboxError
from gpuedu.grading.sandbox.mounts import (
    EMPTIED,
    PACKAGE,
    SYSTEM,
    is_alias,
    mounted,
    names_of,
    of_python,
    other_copies,
)
from gpuedu.grading.sandbox.users import players_user

HOME = "/home/learner"
USER_ID = 1000
_HOSTS = Path(__file__).with_name("hosts")
"""What ``localhost`` is; no name of the machine's network."""
_OF_A_USER = ("--unshare-all", "--unshare-user")
_OF_ROOT = (
    *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
    # No more than it takes to become somebody else.
    *("--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"),
    *("--cap-add", "CAP_SETPCAP"),
)


def program() -> str:
    """Where bubblewrap is.

    Raises:
        SandboxError: it is not there, or cannot make namespaces here; with the remedy.
    """
    found = shutil.which("bwrap")
    if found is None:
        raise SandboxError(
            "bubblewrap is not installed: a learner's code would run without a sandbox",
            remedy="`apt install bubblewrap` (Linux only), or as an ordinary user "
            "`--no-sandbox` for code you trust",
        )
    _require_namespaces(found)
    return found


@cache
def _require_namespaces(program: str) -> None:
    """Raise SandboxError where no sandbox can be made, or no room in it by those who run there."""
    user = players_user()
    why = _why_not(program, _OF_A_USER, user)
    if user is not None:
        why = why or _why_not(program, _OF_ROOT, None)
    if why:
        other = "" if user is None else "start the grader as an ordinary user, "
        raise SandboxError(
            f"bubblewrap cannot make a sandbox here: {why}",
            remedy="allow unprivileged user namespaces (in a container, its seccomp profile "
            f"decides), {other}or as an ordinary user "
            "`--no-sandbox` for code you trust",
        )


def _why_not(program: str, namespaces: Sequence[str], user: int | None) -> str:
    """What bubblewrap says where a user, by default this one, cannot start it; "" where it can."""
    try:
        tried = subprocess.run(
            [program, *namespaces, "--ro-bind", "/", "/", "true"],
            capture_output=True,
            text=True,
            check=False,
            timeout=20,
            cwd="/",
            user=user,
            group=user,
            extra_groups=None if user is None else (),
        )
    except OSError as fault:  # a container may know few users
        return f"nothing can run as user {user}: {fault.strerror}"
    return (tried.stderr.strip() or f"status {tried.returncode}") if tried.returncode else ""


def command(inside: Sequence[str], course: Path) -> list[str]:
    """The command line that runs another command inside the sandbox.

    Args:
        inside: the other command.
        course: a copy of the course, as it may be seen there; see ``copy_course``.
    """
    return [
        program(),
        *_namespaces(),
        *("--die-with-parent", "--new-session", "--clearenv", "--hostname", "grader"),
        *_environment(),
        # Before what may lie below: a checkout in /tmp, say.
        *_own_folders(),
        *_system(),
        # The whole of /proc, so that each player can be given one of its own over it.
        *_devices(),
        *("--bind", "/proc", "/proc"),
        *_course(course),
        *("--dir", "/etc", "--ro-bind", str(_HOSTS), "/etc/hosts"),
        # An ordinary user owns the folder of devices, which all players see.
        *("--remount-ro", "/", "--remount-ro", "/dev"),
        *(() if "/tmp" in writable_folders() else ("--remount-ro", "/tmp")),
        *("--chdir", HOME, "--"),
        *inside,
    ]


def _devices() -> Iterator[str]:
    """The devices that programs need. A terminal is none: the whole machine has few."""
    yield from ("--tmpfs", "/dev", "--dir", "/dev/shm")
    for name in ("null", "zero", "full", "random", "urandom"):
        yield from ("--dev-bind", f"/dev/{name}", f"/dev/{name}")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        yield from ("--symlink", f"/proc/self/fd/{number}", f"/dev/{name}")
    yield from ("--symlink", "/proc/self/fd", "/dev/fd")


def _namespaces() -> tuple[str, ...]:
    if players_user() is not None:
        return _OF_ROOT
    return (*_OF_A_USER, "--uid", str(USER_ID), "--gid", str(USER_ID))


def _own_folders() -> Iterator[str]:
    """Empty folders, to which whoever runs inside can write."""
    for folder in ("/tmp", HOME):
        yield from _parents(Path(folder))
        yield from () if players_user() is None else ("--perms", "1777")
        yield from ("--tmpfs", folder)


def _bind(path: Path, name: Path) -> Iterator[str]:
    """Something of this machine to read, in folders that all may enter, wherever it lies here."""
    yield from _parents(name)
    yield from ("--ro-bind", str(path), str(name))


def _parents(path: Path) -> Iterator[str]:
    for parent in reversed(path.parents[:-1]):
        yield from ("--dir", str(parent))


def writable_folders() -> tuple[str, ...]:
    """Folders that a learner's code can write to: empty, and each player's own.

    Not ``/tmp`` if Python or the course is in it: an empty one would hide them.
    """
    taken = any(one.is_relative_to("/tmp") for one in mounted())
    return (HOME, "/dev/shm") if taken else (HOME, "/tmp", "/dev/shm")


def _environment() -> Iterator[str]:
    settings = {
        "HOME": HOME,
        "TMPDIR": "/tmp" if "/tmp" in writable_folders() else HOME,
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "USER": "learner",
        "LOGNAME": "learner",
        "MPLCONFIGDIR": f"{HOME}/.matplotlib",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONSAFEPATH": "1",  # no module is looked for where a player may write
        "PYTHONPATH": str(PACKAGE.parent),
        "GLOO_SOCKET_IFNAME": "lo",
        "GPUEDU_TIER": "cpu",
    }
    for name, value in settings.items():
        yield from ("--setenv", name, value)


def _system() -> Iterator[str]:
    for name in SYSTEM:
        path = Path(name)
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), name)
        elif path.exists():
            yield from _bind(path, path)
    for name in EMPTIED:
        if Path(name).is_dir() and not Path(name).is_symlink():
            yield from ("--tmpfs", name, "--remount-ro", name)
    for path in of_python():
        if is_alias(path):
            yield from ("--symlink", path.resolve().name, str(path))
        else:
            yield from _bind(path, path)


def _course(copy: Path) -> Iterator[str]:
    """The package under each of its names, as a learner's code may see it."""
    for name in names_of(PACKAGE, mounted()):
        yield from _bind(copy, name)
    for copy in other_copies():
        yield from ("--tmpfs", str(copy), "--remount-ro", str(copy))
