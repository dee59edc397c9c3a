"""The acts of a run, asked again in another world.

With them, the outcome of the run need not be trusted: the same acts on another network give every
message, wait and time again.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from gpuedu.errors import AnswerError
from gpuedu.multi.light.acts import (
    COLUMNS,
    COME,
    GROUP,
    KINDS,
    LOOK,
    MOST_CHARACTERS,
    NOBODY,
    POST,
    WAIT,
    WORK,
)
from gpuedu.multi.light.carrying import SCHEDULES
from gpuedu.multi.light.groups import CollectiveCall
from gpuedu.multi.light.posts import bytes_of, describe
from gpuedu.multi.light.ranks import Work, require_rank
from gpuedu.multi.light.world import LightWorld
from gpuedu.training.call_sites import CallSite

MOST_ACTS = 60_000
"""For all ranks of a run together; the longest right answer has 13,000."""
_MOST_OF = {COME: 20_000, GROUP: 2_000}
_MOST_OPEN = 500
"""Sends, or receives, of one rank that wait for their other side."""
_MOST_TEXTS = 5_000
_GIVES_NOTHING = frozenset({"barrier", "scatter"})
_WHOLE_OF_ALL = frozenset({"all_gather", "gather", "scatter"})
"""Collectives over as many bytes as the tensors of all ranks have together."""
_MOST_BYTES = 2**40
_MOST_TIME_S = 1e6
_DTYPES = {
    str(one).removeprefix("torch."): one
    for one in vars(torch).values()
    if isinstance(one, torch.dtype) and not str(one).startswith(("torch.q", "torch.bits"))
}


def perform(world: LightWorld, rank: int, told: Any) -> None:
    """Ask everything again, as the calling rank of ``world``.

    Args:
        world: where the calling thread is rank ``rank``.
        rank: the rank.
        told: what ``Acts.told`` returned; it need not be trusted.

    Raises:
        AnswerError: it is not a list of acts, or is too long; or the acts do not fit this world.
    """
    texts, table = _read(told)
    world.performed.update(table[:, 0].tolist())
    for kind, count in world.performed.items():
        if count > _MOST_OF.get(kind, MOST_ACTS) or world.performed.total() > MOST_ACTS:
            raise AnswerError("the ranks asked for more of the network than it carries out again")
    for kind, *numbers in table.tolist():
        if kind == POST:
            way, peer, tag, look, at, line = numbers[:6]
            to = None if peer == NOBODY else require_rank(world, peer)
            if way not in (0, 1) or to == rank:
                raise _no_form()
            if world.mailbox.count_open(KINDS[way], rank) >= _MOST_OPEN:
                raise AnswerError(f"rank {rank} has more than {_MOST_OPEN} messages on their way")
            tensor = _tensor(_at(texts, look))
            site = _site_of(texts, at, line)
            post = world.mailbox.post(KINDS[way], rank, to, tensor, tag, site)
            Work(world, rank, post.done, post.deliver)
        elif kind == COME:
            said, where, given, whole_bytes, root, at, line = numbers
            group = world.everybody if where == NOBODY else _group(world, _at(texts, where))
            if rank not in group.members:
                raise _no_form()
            call = _call(_at(texts, said), len(group.members), whole_bytes, root)
            if given != NOBODY:
                call = _giving(call, _tensor(_at(texts, given)))
            _require_size(call, len(group.members), group.members.index(rank))
            collective = group.come(rank, call, _site_of(texts, at, line), _nothing)
            Work(world, rank, collective.done, lambda: None)
        elif kind in (WAIT, LOOK):
            work = _at(world.begun[rank], numbers[0])
            work.wait() if kind == WAIT else work.is_completed()
        elif kind == GROUP:
            members = _numbers(_at(texts, numbers[0]))
            world.group(rank, [require_rank(world, one) for one in members])
        elif kind == WORK:
            world.work(rank, _time_s(_at(texts, numbers[0])), _at(texts, numbers[1]))
        else:
            raise _no_form()


def _no_form() -> AnswerError:
    return AnswerError("what the ranks did arrived in a form that it does not have")


def _read(told: Any) -> tuple[list[str], np.ndarray]:
    texts, table = told if type(told) is list and len(told) == 2 else (None, None)
    if type(texts) is not list or type(table) is not np.ndarray or table.dtype != np.int64:
        raise _no_form()
    if table.ndim != 2 or table.shape[1] != COLUMNS or len(texts) > _MOST_TEXTS:
        raise _no_form()
    if not all(type(one) is str and len(one) <= 4 * MOST_CHARACTERS for one in texts):
        raise _no_form()
    return texts, table


def _at(things: Sequence[Any], number: int) -> Any:
    if not 0 <= number < len(things):
        raise _no_form()
    return things[number]


def _site_of(texts: Sequence[str], at: int, line: int) -> CallSite | None:
    if at == NOBODY:
        return None
    return CallSite(file="", line=line, function="", text=_at(texts, at), via="")


@functools.lru_cache(maxsize=1_000)
def _tensor(look: str) -> torch.Tensor:
    """A tensor of this type and shape that takes no memory."""
    name, _, dims = look.partition(" ")
    shape = _numbers(dims)
    if name not in _DTYPES or math.prod(shape) * _DTYPES[name].itemsize > _MOST_BYTES:
        raise _no_form()
    return torch.empty(shape, dtype=_DTYPES[name], device="meta")


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
    first, *wants = text.split("\n")
    kind, *parts = first.split(" ")
    if kind not in SCHEDULES or not 0 <= whole_bytes <= _MOST_BYTES or not 0 <= root < ranks:
        raise _no_form()
    if not parts:
        return CollectiveCall(kind, tuple(wants), whole_bytes=whole_bytes, root=root)
    sizes = [tuple(_numbers(one)) for one in parts]
    if [len(one) for one in sizes] != [ranks, ranks] or kind != "all_to_all":
        raise _no_form()
    if any(sum(one) > _MOST_BYTES for one in sizes):
        raise _no_form()
    return CollectiveCall(kind, tuple(wants), None, None, whole_bytes, root, *sizes)


def _require_size(call: CollectiveCall, ranks: int, place: int) -> None:
    """Raise AnswerError where a collective carries something else than the tensors it is of.

    Args:
        call: what was said of it.
        ranks: of its group.
        place: of the rank that came.
    """
    is_root = place == call.root
    gives = call.kind not in _GIVES_NOTHING and (is_root or call.kind != "broadcast")
    if gives != (call.given is not None):
        raise _no_form()
    if call.kind == "barrier":
        fits = call.whole_bytes == 0
    elif call.sends:
        fits = sum(call.sends) == call.whole_bytes == bytes_of(call.given)
    else:
        said = _described(call.wants[0] if call.wants else "")
        same = call.given is None or describe(call.given) == describe(said)
        times = ranks if call.kind in _WHOLE_OF_ALL else 1
        fits = same and call.whole_bytes == times * bytes_of(said)
    if not fits:
        raise _no_form()


def _described(text: str) -> torch.Tensor:
    """A tensor that is described so; see ``posts.describe``."""
    shape, _, name = text.rpartition(" ")
    found = _tensor(f"{name} {shape.strip('()').replace(' ', '').removesuffix(',')}")
    if describe(found) != text:
        raise _no_form()
    return found


def _giving(call: CollectiveCall, given: torch.Tensor) -> CollectiveCall:
    return replace(call, given=given)


def _nothing(tensors: Sequence[Any]) -> list[tuple[()]]:
    return [()] * len(tensors)
