"""What a rank asked of its world, noted as numbers and texts; ``performing`` asks it again.

Tensors are noted by shape and type; what was in them is not.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from gpuedu.multi.light.groups import CollectiveCall
from gpuedu.training.call_sites import CallSite

POST, COME, WAIT, LOOK, GROUP, WORK = range(6)
"""What a row starts with."""
COLUMNS = 8
KINDS = "send", "recv"
NOBODY = -1
MOST_CHARACTERS = 400
"""Of a line of a program, and of a label."""
_TAGS = 2**62


@dataclass
class Acts:
    """The acts of one rank, in order.

    ``rows`` has a kind and up to seven numbers for each; some are places in ``texts``.
    """

    rows: list[list[int]] = field(default_factory=list)
    texts: dict[str, int] = field(default_factory=dict)

    def post(
        self, kind: str, peer: int | None, tensor: torch.Tensor, tag: int, site: CallSite | None
    ) -> None:
        """A send or a receive starts."""
        peer = NOBODY if peer is None else peer
        look = self._text(_look(tensor))
        self._note(POST, KINDS.index(kind), peer, hash(tag) % _TAGS, look, *self._site(site))

    def come(
        self, said: CollectiveCall, group: tuple[Sequence[int], int] | None, site: CallSite | None
    ) -> None:
        """The rank comes to a collective of a group: its members, and which of their groups."""
        given = NOBODY if said.given is None else self._text(_look(said.given))
        where = NOBODY if group is None else self._text(_joined([group[1], *group[0]]))
        parts = [_joined(one) for one in (said.sends, said.expects) if said.sends]
        said_text = self._text("\n".join((" ".join((said.kind, *parts)), *said.wants)))
        self._note(COME, said_text, where, given, said.whole_bytes, said.root, *self._site(site))

    def wait(self, number: int) -> None:
        """It waits for the ``number``-th operation that it started."""
        self._note(WAIT, number)

    def look(self, number: int) -> None:
        """It checks whether that is done."""
        self._note(LOOK, number)

    def group(self, members: Sequence[int]) -> None:
        """It asks for a group of ranks."""
        self._note(GROUP, self._text(_joined(members)))

    def work(self, time_s: float, label: str) -> None:
        """It computes for this long."""
        self._note(WORK, self._text(repr(float(time_s))), self._text(label[:MOST_CHARACTERS]))

    def _note(self, *row: int) -> None:
        self.rows.append([*row, *[0] * (COLUMNS - len(row))])

    def _text(self, text: str) -> int:
        return self.texts.setdefault(text, len(self.texts))

    def _site(self, site: CallSite | None) -> tuple[int, int]:
        if site is None:
            return NOBODY, 0
        return self._text(site.text[:MOST_CHARACTERS]), site.line

    def told(self, since: int = 0) -> list[Any]:
        """The acts from number ``since`` on, as plain values that ``perform`` takes."""
        table = np.array(self.rows[since:], np.int64).reshape(-1, COLUMNS)
        return [list(self.texts), table]

    def since_now(self) -> Callable[[], list[Any]]:
        """A function that returns, when called, the acts from now on."""
        return functools.partial(self.told, len(self.rows))


def _look(tensor: torch.Tensor) -> str:
    """Type and shape of a tensor, as ``performing`` reads them."""
    return f"{str(tensor.dtype).removeprefix('torch.')} {_joined(tensor.shape)}"


def _joined(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))
