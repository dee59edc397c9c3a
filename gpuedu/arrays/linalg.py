"""``cp.linalg``: linear algebra on device arrays; the table in ``functions.txt`` has it.

CuPy leaves results of singular matrices and the like undefined, unless ``cupyx.errstate`` asks for
an error, because checking would make the host wait; here they are NumPy's ``LinAlgError``.
"""

from __future__ import annotations

from typing import Any

from numpy.linalg import LinAlgError  # noqa: F401

from gpuedu.arrays import special, table
from gpuedu.arrays.elementwise import matmul  # noqa: F401
from gpuedu.arrays.lists import cupy_names, missing

globals().update(table.functions_of("linalg") | special.computed("linalg"))


def __getattr__(name: str) -> Any:
    raise missing("cupy.linalg", name)


def __dir__() -> list[str]:
    return sorted(set(globals()) & cupy_names("cupy.linalg"))
