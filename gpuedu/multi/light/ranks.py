"""Which rank the calling thread is, in which group; and the handle of what it has started."""

from __future__ import annotations

import operator
import reprlib
from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor

from gpuedu.clock import Moment
from gpuedu.multi.exchanges import CommunicationError
from gpuedu.multi.light.groups import Group
from gpuedu.multi.light.posts import place
from gpuedu.multi.light.world import LightWorld, call_site, here


class Work:
    """What a call with ``async_op=True``, ``isend`` and ``irecv`` return.

    What arrives is put into the tensors when the rank has waited for it, or has seen that it is
    done: reading earlier is unreliable on any backend.
    """

    def __init__(
        self, world: LightWorld, rank: int, done: Moment, deliver: Callable[[], None]
    ) -> None:
        self._world, self._rank, self._done, self._deliver = world, rank, done, deliver
        self._number = len(world.begun[rank])
        world.begun[rank].append(self)

    def wait(self, timeout: Any = None) -> Any:
        """Wait until it is done; a receive returns the rank that sent."""
        self._world.acts[self._rank].wait(self._number)
        found = self._world.clock.wait(self._done)
        if isinstance(found, Exception):
            raise found
        self._deliver()
        return True if found is None else found

    def is_completed(self) -> bool:
        """True if it is done; checking takes no time."""
        self._world.acts[self._rank].look(self._number)
        self._world.clock.glance()
        if self._done.happened:
            self._deliver()
        return self._done.happened


def me() -> tuple[LightWorld, int]:
    """World and rank of the calling thread."""
    found = here()
    assert found is not None  # the names are lent to light ranks alone
    return found


def get_rank(group: Group | None = None) -> int:
    """The number of the calling rank in the group; -1 if it is not in it."""
    world, rank = me()
    members = (group or world.everybody).members
    return members.index(rank) if rank in members else -1


def get_world_size(group: Group | None = None) -> int:
    """How many ranks the group has."""
    return len((group or me()[0].everybody).members)


def is_initialized() -> bool:
    """Always: a light rank is one from its first line."""
    return True


def get_backend(group: Group | None = None) -> str:
    """The name of the simulated network."""
    return "light"


def init_process_group(*_: Any, **__: Any) -> None:
    """Nothing: the process group already exists."""


def destroy_process_group(group: Any = None) -> None:
    """Nothing: the run ends with its ranks."""


def new_group(ranks: Sequence[int] | None = None, *_: Any, **__: Any) -> Group:
    """A group of these ranks; as with PyTorch, every rank calls it."""
    world, rank = me()
    members = range(world.ranks) if ranks is None else ranks
    return world.group(rank, [require_rank(world, one) for one in members])


def require_rank(world: LightWorld, rank: Any) -> int:
    """The rank as an int, which NumPy's are not; CommunicationError if there is none."""
    is_whole = hasattr(rank, "__index__") and not isinstance(rank, (bool, Tensor))
    if not is_whole or not 0 <= operator.index(rank) < world.ranks:
        raise CommunicationError(
            f"there is no rank {reprlib.repr(rank)}: they are 0 to {world.ranks - 1}"
            f"{place(call_site())}",
            remedy="`% dist.get_world_size()` wraps around to rank 0.",
        )
    return operator.index(rank)


def place_of(rank: int, group: Group | None) -> int:
    """The place of a rank in a group; CommunicationError if it is not in it."""
    members = (group or me()[0].everybody).members
    if rank not in members:
        raise CommunicationError(f"rank {rank!r} is not one of the ranks {list(members)}")
    return members.index(rank)
