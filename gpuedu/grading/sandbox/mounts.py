"""What of this machine is mounted besides the system, and by which names the course is found there.

Of Python only what it is made of: its prefix may be a class's folder, or somebody's home, and a
virtual environment has settings of its own, with passwords in them.
"""

from __future__ import annotations

import site
import sys
from collections.abc import Iterable
from pathlib import Path

from gpuedu.grading.sandbox.limits import SandboxError

PACKAGE = Path(__file__).resolve().parents[2]
SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/ld.so.cache",
    "/etc/alternatives",
)
EMPTIED = ("/usr/local/etc", "/usr/local/share", "/usr/local/src", "/usr/src")
"""Folders of the system with what a machine's users have put there: nbgrader's exchange, say."""
_OF_PYTHON = ("bin", "lib", "lib32", "lib64", "include", "pyvenv.cfg")


def of_python() -> list[Path]:
    """Python's programs and packages, without what lies in one another or in the system's.

    Raises:
        SandboxError: they lie where this user may not look.
    """
    prefixes = {sys.prefix, sys.base_prefix, str(Path(sys.executable).resolve().parents[1])}
    wanted = {Path(prefix, name) for prefix in prefixes for name in _OF_PYTHON}
    wanted |= {Path(one) for one in site.getsitepackages()}
    wanted = {one for one in wanted if _is_there(one) and not one.is_relative_to("/usr")}
    return sorted(
        one
        for one in wanted
        if not any(one != other and one.is_relative_to(other) for other in wanted)
    )


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except PermissionError as fault:
        raise SandboxError(
            f"{path} belongs to this Python, and this user may not enter a folder above it",
            remedy="`chmod o+x` that folder, or a Python that this user can read",
        ) from fault


def is_alias(path: Path) -> bool:
    """Whether a name stands for another one beside it, as ``lib64`` for ``lib``."""
    return path.is_symlink() and path.resolve().parent == path.parent.resolve()


def mounted() -> list[Path]:
    """Files and folders, besides the system's, that are visible inside."""
    return [PACKAGE, *(one for one in of_python() if not is_alias(one))]


def names_of(package: Path, folders: Iterable[Path]) -> list[Path]:
    """All names that a folder has inside: a path with a link in it is mounted as it is called.

    Args:
        package: the folder, without a link in its path.
        folders: what is mounted.
    """
    names = {package}
    for folder in folders:
        real = folder.resolve()
        if package.is_relative_to(real):
            names.add(folder / package.relative_to(real))
    return sorted(names)


def other_copies() -> list[Path]:
    """Other copies of the course among Python's packages, each with all judges."""
    libraries = {Path("/usr/lib"), Path("/usr/local/lib"), *mounted()}
    found = {
        one for folder in libraries for one in folder.glob(f"python3*/*-packages/{PACKAGE.name}")
    }
    return sorted(one for one in found if one.is_dir() and one.resolve() != PACKAGE)


def require_out_of_sight(paths: Iterable[Path]) -> None:
    """Raise SandboxError if submissions, verdicts or a secret lie where learners' code may read."""
    seen = [one.resolve() for one in (*mounted(), *map(Path, SYSTEM)) if one.exists()]
    for path in paths:
        for folder in seen:
            if path.resolve().is_relative_to(folder):
                raise SandboxError(
                    f"{path} lies in {folder}, where learners' code can read",
                    remedy="move the class's folders out of there",
                )
