"""What a rank asked of its world, noted as numbers and texts, and asked again of another world.

Who has them need not believe what came of a run: with the same acts on a network of their own,
every message, wait and time comes out again. Tensors are noted by shape and type; what was in them
is not.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from gpuedu.errors import AnswerError
from gpuedu.multi.light.groups import SCHEDULES, CollectiveCall
from gpuedu.training.call_sites import CallSite

if TYPE_CHECKING:
    from gpuedu.multi.light.world import LightWorld

_POST, _COME, _WAIT, _LOOK, _GROUP, _WORK = range(6)
_COLUMNS = 8
_KINDS = "send", "recv"
_NOBODY = -1
MOST_ACTS = 60_000
"""Of all ranks of a run that is asked again; the longest of a right answer has 13,000."""
_MOST_OF = {_COME: 20_000, _GROUP: 2_000}
_MOST_OPEN = 500
"""Sends, or receives, of one rank that wait for their other side."""
_MOST_TEXTS, _MOST_CHARACTERS = 5_000, 400
_MOST_BYTES = 2**40
_MOST_TIME_S = 1e6
_TAGS = 2**62
_DTYPES = {
    str(one).removeprefix("torch."): one
    for one in vars(torch).values()
    if isinstance(one, torch.dtype) and not str(one).startswith(("torch.q", "torch.bits"))
}


@dataclass
class Acts:
    """The acts of one rank, in their order.

    ``rows`` has a kind and up to seven numbers for each; some are places in ``texts``.
    """

    rows: list[list[int]] = field(default_factory=list)
    texts: dict[str, int] = field(default_factory=dict)

    def post(
        self, kind: str, peer: int | None, tensor: torch.Tensor, tag: int, site: CallSite | None
    ) -> None:
        """A send or a receive begins."""
        peer = _NOBODY if peer is None else peer
        look = self._text(_look(tensor))
        self._note(_POST, _KINDS.index(kind), peer, hash(tag) % _TAGS, look, *self._site(site))

    def come(
        self, said: CollectiveCall, group: tuple[Sequence[int], int] | None, site: CallSite | None
    ) -> None:
        """The rank comes to a collective of a group: its members, and which of those with them."""
        given = _NOBODY if said.given is None else self._text(_look(said.given))
        where = _NOBODY if group is None else self._text(_joined([group[1], *group[0]]))
        said_text = self._text("\n".join((said.kind, *said.wants)))
        self._note(_COME, said_text, where, given, said.whole_bytes, said.root, *self._site(site))

    def wait(self, number: int) -> None:
        """It waits for what it began as the ``number``-th."""
        self._note(_WAIT, number)

    def look(self, number: int) -> None:
        """It looks whether that is done."""
        self._note(_LOOK, number)

    def group(self, members: Sequence[int]) -> None:
        """It asks for a group of ranks."""
        self._note(_GROUP, self._text(_joined(members)))

    def work(self, time_s: float, label: str) -> None:
        """It computes for so long."""
        self._note(_WORK, self._text(repr(float(time_s))), self._text(label[:_MOST_CHARACTERS]))

    def _note(self, *row: int) -> None:
        self.rows.append([*row, *[0] * (_COLUMNS - len(row))])

    def _text(self, text: str) -> int:
        return self.texts.setdefault(text, len(self.texts))

    def _site(self, site: CallSite | None) -> tuple[int, int]:
        if site is None:
            return _NOBODY, 0
        return self._text(site.text[:_MOST_CHARACTERS]), site.line

    def told(self, since: int = 0) -> list[Any]:
        """The acts from number ``since`` on, as plain values that ``perform`` takes."""
        table = np.array(self.rows[since:], np.int64).reshape(-1, _COLUMNS)
        return [list(self.texts), table]

    def since_now(self) -> Callable[[], list[Any]]:
        """What tells, when it is called, the acts from now on."""
        return functools.partial(self.told, len(self.rows))


def perform(world: LightWorld, rank: int, told: Any) -> None:
    """Ask everything again, as a rank of ``world``: the one that calls.

    Args:
        world: in which the calling thread is rank ``rank``.
        rank: the rank.
        told: what ``Acts.told`` gave; it need not be believed.

    Raises:
        AnswerError: it is no list of acts, or too long; or the acts do not fit this world.
    """
    from gpuedu.multi.light.ranks import Work, require_rank

    texts, table = _read(told)
    world.performed.update(table[:, 0].tolist())
    for kind, count in world.performed.items():
        if count > _MOST_OF.get(kind, MOST_ACTS) or world.performed.total() > MOST_ACTS:
            raise AnswerError("the ranks asked for more of the network than it carries out again")
    for kind, *numbers in table.tolist():
        if kind == _POST:
            way, peer, tag, look, at, line = numbers[:6]
            to = None if peer == _NOBODY else require_rank(world, peer)
            if way not in (0, 1) or to == rank:
                raise _no_form()
            if world.mailbox.count_open(_KINDS[way], rank) >= _MOST_OPEN:
                raise AnswerError(f"rank {rank} has more than {_MOST_OPEN} messages on their way")
            tensor = _tensor(_at(texts, look))
            site = _site_of(texts, at, line)
            post = world.mailbox.post(_KINDS[way], rank, to, tensor, tag, site)
            Work(world, rank, post.done, post.deliver)
        elif kind == _COME:
            said, where, given, whole_bytes, root, at, line = numbers
            group = world.everybody if where == _NOBODY else _group(world, _at(texts, where))
            if rank not in group.members:
                raise _no_form()
            call = _call(_at(texts, said), len(group.members), whole_bytes, root)
            if given != _NOBODY:
                call = _giving(call, _tensor(_at(texts, given)))
            collective = group.come(rank, call, _site_of(texts, at, line), _nothing)
            Work(world, rank, collective.done, lambda: None)
        elif kind in (_WAIT, _LOOK):
            work = _at(world.begun[rank], numbers[0])
            work.wait() if kind == _WAIT else work.is_completed()
        elif kind == _GROUP:
            members = _numbers(_at(texts, numbers[0]))
            world.group(rank, [require_rank(world, one) for one in members])
        elif kind == _WORK:
            world.work(rank, _time_s(_at(texts, numbers[0])), _at(texts, numbers[1]))
        else:
            raise _no_form()


def _no_form() -> AnswerError:
    return AnswerError("what the ranks did arrived in a form that it does not have")


def _read(told: Any) -> tuple[list[str], np.ndarray]:
    texts, table = told if type(told) is list and len(told) == 2 else (None, None)
    if type(texts) is not list or type(table) is not np.ndarray or table.dtype != np.int64:
        raise _no_form()
    if table.ndim != 2 or table.shape[1] != _COLUMNS or len(texts) > _MOST_TEXTS:
        raise _no_form()
    if not all(type(one) is str and len(one) <= 4 * _MOST_CHARACTERS for one in texts):
        raise _no_form()
    return texts, table


def _at(things: Sequence[Any], number: int) -> Any:
    if not 0 <= number < len(things):
        raise _no_form()
    return things[number]


def _site_of(texts: Sequence[str], at: int, line: int) -> CallSite | None:
    if at == _NOBODY:
        return None
    return CallSite(file="", line=line, function="", text=_at(texts, at), via="")


def _look(tensor: torch.Tensor) -> str:
    """Type and shape of a tensor, as ``_tensor`` reads them."""
    return f"{str(tensor.dtype).removeprefix('torch.')} {_joined(tensor.shape)}"


@functools.lru_cache(maxsize=1_000)
def _tensor(look: str) -> torch.Tensor:
    """A tensor of this type and shape that takes no memory."""
    name, _, dims = look.partition(" ")
    shape = _numbers(dims)
    if name not in _DTYPES or math.prod(shape) * _DTYPES[name].itemsize > _MOST_BYTES:
        raise _no_form()
    return torch.empty(shape, dtype=_DTYPES[name], device="meta")


def _joined(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))


def _numbers(text: str) -> list[int]:
    """Whole numbers from 0 on, not very large ones."""
    parts = text.split(",") if text else []
    if not all(one.isdecimal() and one.isascii() and len(one) <= 12 for one in parts):
        raise _no_form()
    return list(map(int, parts))


def _time_s(text: str) -> float:
    try:
        time_s = float(text)
    except ValueError:
        raise _no_form() from None
    if not 0 <= time_s <= _MOST_TIME_S:
        raise _no_form()
    return time_s


def _group(world: LightWorld, text: str) -> Any:
    number, *members = _numbers(text) or [0]
    return _at(world.groups_of(members), number)


def _call(text: str, ranks: int, whole_bytes: int, root: int) -> CollectiveCall:
    kind, *wants = text.split("\n")
    if kind not in SCHEDULES or not 0 <= whole_bytes <= _MOST_BYTES or not 0 <= root < ranks:
        raise _no_form()
    return CollectiveCall(kind, tuple(wants), whole_bytes=whole_bytes, root=root)


def _giving(call: CollectiveCall, given: torch.Tensor) -> CollectiveCall:
    return CollectiveCall(call.kind, call.wants, None, given, call.whole_bytes, call.root)


def _nothing(tensors: Sequence[Any]) -> list[tuple[()]]:
    return [()] * len(tensors)
