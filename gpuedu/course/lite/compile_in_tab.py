"""Beside each wheel in /wheels, a zip of the bytecode of its modules; run by the tab's own Python.

The bytecode is of the unchecked kind (PEP 552): the tab takes it without a look at the source.
"""

from __future__ import annotations

import importlib.util
import marshal
import sys
import zipfile
from pathlib import Path, PurePosixPath

_UNCHECKED = 1


def bytecode(source: bytes, name: str) -> bytes:
    """A module as a .pyc file holds it."""
    code = compile(source, name, "exec", dont_inherit=True)
    head = importlib.util.MAGIC_NUMBER + _UNCHECKED.to_bytes(4, "little")
    return head + importlib.util.source_hash(source) + marshal.dumps(code)


def main(folder: Path) -> None:
    """Compile every wheel of the folder."""
    for wheel in sorted(folder.glob("*.whl")):
        with zipfile.ZipFile(wheel) as whole, zipfile.ZipFile(f"{wheel}.zip", "w") as compiled:
            for name in whole.namelist():
                if name.endswith(".py"):
                    path = PurePosixPath(name)
                    kept = (
                        path.parent
                        / "__pycache__"
                        / f"{path.stem}.{sys.implementation.cache_tag}.pyc"
                    )
                    compiled.writestr(str(kept), bytecode(whole.read(name), name))


if __name__ == "__main__":
    main(Path("/wheels"))
