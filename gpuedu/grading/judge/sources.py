"""Which sources of the course judge a lesson, as a digest.

It covers the whole package, not only an exercise's own modules: a judge depends on its lesson, on
the machine that runs kernels and on the models, and a fix in any of these can change a verdict. A
digest that is too wide costs a second judgment; one that is too narrow would keep a wrong one.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from gpuedu.course.checkout import release_folder

_PACKAGE = Path(__file__).resolve().parents[2]
_SUFFIXES = (".py", ".toml", ".json", ".cu", ".txt")


@cache
def sources_digest(lesson: str) -> str:
    """A short hexadecimal digest of the package and of what learners of a lesson were given.

    The same for a checkout and for an installed package.

    Args:
        lesson: the lesson's folder, such as ``01_why_gpus``.
    """
    digest = hashlib.sha256(_package_digest(_PACKAGE))
    digest.update((release_folder() / lesson / f"{lesson}.ipynb").read_bytes())
    return digest.hexdigest()[:16]


@cache
def _package_digest(package: Path) -> bytes:
    digest = hashlib.sha256()
    notebooks = package / "course" / "notebooks"  # there in an installed package alone
    for path in sorted(package.rglob("*")):
        if path.suffix in _SUFFIXES and not path.is_relative_to(notebooks):
            digest.update(f"{path.relative_to(package).as_posix()}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.digest()
