"""Programs become Python functions that call NumPy, once for each program.

The text is made only from the program form, never from a learner's source: names are numbered slots
and constants are passed in. ``m`` variables are masks (see ``masks``), ``M`` is the machine. Each
statement runs for all threads of the chunk at once, under the mask.
"""

from __future__ import annotations

from gpuedu.simt.machine.codegen.statements import generate
from gpuedu.simt.machine.codegen.writer import Compiled

__all__ = ["Compiled", "generate"]
