"""Puts a zip of bytecode beside each archive in /archives; run by the tab's own Python.

The bytecode is of the unchecked kind (PEP 552): the tab uses it without checking the source.
``MODULES`` names modules; if it names any, only what importing them loads is compiled.
"""

from __future__ import annotations

import importlib.util
import marshal
import sys
import zipfile
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path, PurePosixPath

_UNCHECKED = 1


def bytecode(source: bytes, name: str) -> bytes:
    """A module as a .pyc file holds it."""
    code = compile(source, name, "exec", dont_inherit=True)
    head = importlib.util.MAGIC_NUMBER + _UNCHECKED.to_bytes(4, "little")
    return head + importlib.util.source_hash(source) + marshal.dumps(code)


def place(name: str) -> str:
    """Where the bytecode of a module goes."""
    path = PurePosixPath(name)
    kept = path.parent / "__pycache__" / f"{path.stem}.{sys.implementation.cache_tag}.pyc"
    return str(kept)


def sources(modules: Iterable[str]) -> set[str]:
    """The sources of everything loaded once these are imported, as their archives name them."""
    for name in modules:
        import_module(name)
    roots = [root for root in sys.path if root.endswith((".zip", "site-packages"))]
    files = [file for one in list(sys.modules.values()) if (file := getattr(one, "__file__", None))]
    return {
        file.removeprefix(f"{root}/")
        for file in files
        for root in roots
        if file.startswith(f"{root}/")
    }


def main(folder: Path, modules: Sequence[str]) -> None:
    """Compile the archives of the folder."""
    wanted = sources(modules)
    for archive in sorted([*folder.glob("*.whl"), *folder.glob("*.zip")]):
        with zipfile.ZipFile(archive) as whole, zipfile.ZipFile(f"{archive}.zip", "w") as compiled:
            for name in whole.namelist():
                if name.endswith(".py") and (name in wanted or not modules):
                    compiled.writestr(place(name), bytecode(whole.read(name), name))


if __name__ == "__main__":
    main(Path("/archives"), MODULES.split())  # type: ignore[name-defined]  # noqa: F821
