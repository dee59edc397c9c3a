"""The notebook reader is imported while workers get ready.

Its library checks notebooks against a schema, and that library's libraries compile forty grammars
for international addresses when they are imported, which takes longer than all the rest. No
notebook's schema has such an address.
"""

from __future__ import annotations

import sys
import threading
from importlib import import_module

_READER = "gpuedu.grading.reading.released"
_GRAMMARS = "rfc3987_syntax"


def import_reader() -> None:
    """Start to import it; other imports of it wait until it is there.

    It runs in a thread because that has a new stack: CPython 3.11 asks the system for memory again
    and again if a hot loop happens to be at the end of a chunk of the stack, and this import has
    such loops.
    """
    threading.Thread(target=_import, name="import of the reader", daemon=True).start()


def _import() -> None:
    is_unknown = _GRAMMARS not in sys.modules
    if is_unknown:
        sys.modules[_GRAMMARS] = None  # type: ignore[assignment]  # as if it were not installed
    try:
        import_module(_READER)
    finally:
        if is_unknown:
            sys.modules.pop(_GRAMMARS, None)
