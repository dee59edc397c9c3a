"""The reader of notebooks is imported while workers make themselves ready.

Its library checks notebooks against a schema, and that library's libraries compile forty grammars
for international addresses when they are imported, longer than all the rest takes. No notebook's
schema has such an address.
"""

from __future__ import annotations

import sys
import threading
from importlib import import_module

_READER = "gpuedu.grading.reading.released"
_GRAMMARS = "rfc3987_syntax"


def import_reader() -> None:
    """Begin to import it; whoever imports it meanwhile waits until it is there.

    In a thread, for its stack is new: CPython 3.11 asks the system for memory again and again where
    a hot loop happens to lie at the end of a piece of the stack, and this import has such loops.
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
