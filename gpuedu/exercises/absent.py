"""What a notebook says where a package is not installed, before any cell fails for want of it.

A lesson's first cell imports from gpuedu first, and then what the lesson needs besides. So where
that is missing, one line tells what it is and how to get it, in place of a traceback.
"""

from __future__ import annotations

import sys
from typing import Any

from gpuedu.exercises.card import Card
from gpuedu.exercises.display import draw
from gpuedu.needs import has_package, missing_of


def prepare() -> None:
    """Stand in for Numba's names where Numba is missing, and tell what else is in one line."""
    if not has_package("numba"):
        from gpuedu.simt.host.numba_names import stand_in_for_numba

        stand_in_for_numba()
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None:
        shell.set_custom_exc((ModuleNotFoundError,), _tell)


def _tell(
    shell: Any, kind: type[BaseException], fault: BaseException, trace: Any, tb_offset: Any = None
) -> None:
    """Draw one line where the course knows the package; else IPython's own traceback."""
    gone = missing_of(fault)
    if gone is None:
        shell.showtraceback((kind, fault, trace), tb_offset=tb_offset)
    else:
        draw(Card(gone.message, "refused", next=f"Try: {gone.remedy}" if gone.remedy else ""))
