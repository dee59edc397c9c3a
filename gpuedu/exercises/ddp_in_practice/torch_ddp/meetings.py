"""Points where all ranks meet, so that a collective which one of them skips is told at once.

What DistributedDataParallel sends from compiled code is not counted: a rank that waits inside of
it seems to compute. Here a counted collective, of a shape that nobody else has, comes before it is
made, before each of its forwards in training, and after every call of the learner's function. A
rank that waits in another call then disagrees, and the launch ends.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest import mock

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from gpuedu.errors import AnswerError, DeadlockError
from gpuedu.exercises.ranks.launching import launch_ranks
from gpuedu.multi.exchanges import Exchange
from gpuedu.multi.launch import Launched, LaunchError
from gpuedu.multi.launch.agreement import DisagreementError

RANKS = 2
STALL_S, TIME_LIMIT_S = 5.0, 30.0
_WRAPPING, _FORWARD, _LOCAL, _END = range(2, 6)
_KIND = "all_gather"
REMEDY = "Do all ranks make the same calls, in the same order?"


def meet(place: int = _END) -> None:
    """Wait for all ranks; ``place`` is written into the shape."""
    mine = torch.zeros(1, 1, 1, 1, place, dtype=torch.int8)
    dist.all_gather([torch.zeros_like(mine) for _ in range(dist.get_world_size())], mine)


def called(function: Callable[..., Any], *arguments: Any) -> Any:
    """What the learner's function gives, when all ranks have returned from it."""
    given = function(*arguments)
    meet()
    return given


@contextmanager
def meeting() -> Iterator[None]:
    """Inside, ranks meet before DistributedDataParallel is made, and before its forwards."""
    make, forward = DistributedDataParallel.__init__, DistributedDataParallel.forward

    @functools.wraps(make)
    def make_together(self: Any, *arguments: Any, **named: Any) -> None:
        meet(_WRAPPING)
        make(self, *arguments, **named)

    @functools.wraps(forward)
    def forward_together(self: Any, *arguments: Any, **named: Any) -> Any:
        if torch.is_grad_enabled():
            # In `no_sync()`, too: the second forward of all settles the buckets among the ranks.
            meet(_FORWARD if self.require_backward_grad_sync else _LOCAL)
        return forward(self, *arguments, **named)

    with (
        mock.patch.object(DistributedDataParallel, "__init__", make_together),
        mock.patch.object(DistributedDataParallel, "forward", forward_together),
    ):
        yield


def is_meeting(one: Exchange) -> bool:
    """Whether an exchange is one of these: no learner hands so little to an all_gather."""
    return one.kind == _KIND and _WRAPPING <= one.size_bytes <= _END


def launch_learners(
    on_rank: Callable[..., Any],
    answer: Any,
    *arguments: Any,
    name: str,
    ranks: int = RANKS,
    time_limit_s: float = TIME_LIMIT_S,
) -> Launched:
    """``on_rank(answer, *arguments)`` on real ranks; ``name`` is the learner's function.

    Raises:
        AnswerError: a rank failed, or the ranks do not fit together: which waits for what.
    """
    try:
        return launch_ranks(
            on_rank, ranks, answer, *arguments, stall_s=STALL_S, time_limit_s=time_limit_s
        )
    except DisagreementError as differing:
        told = tell_meeting(differing.calls, name)
        if not told:
            raise
        raise AnswerError(told, remedy=REMEDY) from None
    except (LaunchError, DeadlockError) as late:
        if "in time" not in late.message:
            raise
        remedy = f"Does a loop of `{name}` end? {REMEDY}"
        raise AnswerError(_tell_late(late.message, name), remedy=remedy) from None


_WAIT = r"waits in call \d+, all_gather"


def _tell_late(message: str, name: str) -> str:
    """What ranks were doing; a wait in a meeting is told as what it comes after, or before.

    That after a call of the learner's is in no line of theirs.
    """
    message = re.sub(rf"{_WAIT}(?! \()", f"has returned from `{name}`", message)
    return re.sub(
        rf"{_WAIT}( \(line \d+: `(?:(?!all_gather)[^`])*`\))", r"waits in `ddp`\1", message
    )


def tell_meeting(calls: Mapping[int, Mapping[str, Any]], name: str) -> str:
    """Who waits where for whom, by the first call in which two ranks differ; "" if none met."""
    places = {rank: _place_of(call) for rank, call in calls.items()}
    if not any(places.values()):
        return ""
    # Who waits in a call of the learner's comes first.
    order = sorted(calls, key=lambda rank: (places[rank] == _END, places[rank] != 0))
    told = "; ".join(_say(rank, calls[rank], places[rank], name) for rank in order)
    return f"{told} without it" if _END in places.values() else told


def _place_of(call: Mapping[str, Any]) -> int:
    """The place of a meeting; 0 for another call."""
    for place in range(_WRAPPING, _END + 1):
        if call["kind"] == _KIND and call["wants"] == [f"(1, 1, 1, 1, {place}) int8"]:
            return place
    return 0


def _say(rank: int, call: Mapping[str, Any], place: int, name: str) -> str:
    if place == _END:
        return f"rank {rank} has returned from `{name}`"
    where = f" (line {call['line']}: `{call['text']}`)" if call["text"] else ""
    if place == _WRAPPING:
        return f"rank {rank} wraps a model in DistributedDataParallel{where}"
    if place in (_FORWARD, _LOCAL):
        block = " in `no_sync()`" if place == _LOCAL else ""
        return f"rank {rank} has come to a forward pass of `ddp`{block}{where}"
    return f"rank {rank} waits in {call['kind']}{where}"
