"""The playground's side of the page: questions and answers as text of JSON, one launch kept."""

from __future__ import annotations

import json
from typing import Any

from gpuedu.errors import GpueduError
from gpuedu.playground import pictures
from gpuedu.playground.launch import Ran, Request, run
from gpuedu.playground.report import to_fault, to_report
from gpuedu.playground.stepping import MOVES, to_frame
from gpuedu.widgets.walk import Walk, walk


class Tab:
    """What a tab keeps between two questions: the latest launch that ran, and where its walk is.

    >>> answer = Tab().answer('{"ask": "run", "source": "x = "}')
    >>> json.loads(answer)["fault"]["line"]
    1
    """

    def __init__(self) -> None:
        self._ran: Ran | None = None
        self._walk: Walk | None = None

    def answer(self, question: str) -> str:
        """The answer to one question; what goes wrong is answered under ``fault``."""
        asked = json.loads(question)
        kind = asked.pop("ask")
        try:
            return json.dumps(getattr(self, f"_{kind}")(**asked))
        except Exception as fault:
            return json.dumps({"fault": to_fault(fault)})

    def _run(self, **fields: Any) -> dict[str, Any]:
        self._ran = self._walk = None
        self._ran = run(Request(**fields))
        return to_report(self._ran)

    def _accesses(self, line: int, warp: int = 0, turn: int = 0) -> dict[str, Any]:
        return pictures.accesses(self._launch, line, warp, turn)

    def _figure(self, line: int, warp: int = 0, turn: int = 0) -> dict[str, str]:
        return pictures.figure(self._launch, line, warp, turn)

    def _step(self, move: str = "stay", position: int | None = None) -> dict[str, Any]:
        if self._walk is None:
            self._walk = walk(self._launch.trace)
        self._walk = MOVES[move](self._walk if position is None else self._walk.at(position))
        return to_frame(self._walk)

    @property
    def _launch(self) -> Ran:
        if self._ran is None:
            raise GpueduError("nothing has run yet", remedy="run the kernel first")
        return self._ran
