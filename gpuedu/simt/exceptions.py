"""What threads raised, as the exception that the host gets under ``debug=True``."""

from __future__ import annotations

from collections.abc import Sequence

from gpuedu.simt.program import Raise
from gpuedu.trace import Source, Thread


def of_host(statement: Raise, who: Thread, sources: Sequence[Source]) -> Exception:
    """The exception of a thread, with Numba's wording for function, file, line and thread."""
    place = statement.place
    file = next((s.file for s in sources if s.function == place.function), "")
    text = (
        f"In function {place.function!r}, file {file}, line {place.line}\n"
        f"tid={list(who.thread)} ctaid={list(who.block)}"
    )
    text += f": {statement.message}" if statement.message else ""
    try:
        return statement.exception(text)
    except TypeError:  # a class of the learner's with arguments of its own
        return RuntimeError(f"{statement.exception.__name__}: {text}")
