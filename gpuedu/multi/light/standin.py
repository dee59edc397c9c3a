"""What ``torch.distributed`` means on a light rank: the same names, over the simulated network.

While it is lent, each function of ``torch.distributed`` that communicates asks which thread is
calling: on a light rank the call goes to the rank's world, elsewhere to PyTorch. As with gloo, a
send waits for its receive; as with NCCL, there is ``ReduceOp.AVG``. What is missing says so.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch.distributed as real

from gpuedu.multi.exchanges import CommunicationError
from gpuedu.multi.light import collectives, messages, ranks
from gpuedu.multi.light.world import here

_NAMES = {
    ranks: (
        "get_rank",
        "get_world_size",
        "is_initialized",
        "get_backend",
        "init_process_group",
        "destroy_process_group",
        "new_group",
    ),
    messages: ("send", "recv", "isend", "irecv", "batch_isend_irecv"),
    collectives: (
        "barrier",
        "all_reduce",
        "reduce",
        "broadcast",
        "broadcast_object_list",
        "gather",
        "scatter",
        "all_gather",
        "all_gather_into_tensor",
        "all_gather_object",
        "reduce_scatter",
        "reduce_scatter_tensor",
        "all_to_all_single",
    ),
}
_LENT = {name: getattr(module, name) for module, names in _NAMES.items() for name in names}
_NOT_HERE = (
    "all_to_all",
    "gather_object",
    "monitored_barrier",
    "new_subgroups",
    "recv_object_list",
    "scatter_object_list",
    "send_object_list",
)


def _refusing(name: str) -> Callable[..., Any]:
    def refuse(*_: Any, **__: Any) -> Any:
        raise CommunicationError(
            f"`{name}` does not work on light ranks", remedy=f"These do: {', '.join(_LENT)}."
        )

    refuse.__name__ = name
    return refuse


def _choosing(lent: Callable[..., Any], original: Callable[..., Any]) -> Callable[..., Any]:
    """A function that asks who calls."""

    @functools.wraps(lent)
    def chosen(*arguments: Any, **named: Any) -> Any:
        return (original if here() is None else lent)(*arguments, **named)

    return chosen


@contextmanager
def lend_distributed(*answers: Any) -> Iterator[None]:
    """Make ``torch.distributed`` mean this module on light ranks, for the duration of a block.

    Names that the code of ``answers`` took from it (``from torch.distributed import send``) are
    replaced too.
    """
    swaps: dict[int, Any] = {}
    with ExitStack() as undo:
        for name, lent in (_LENT | {name: _refusing(name) for name in _NOT_HERE}).items():
            original = getattr(real, name)
            swaps[id(original)] = chosen = _choosing(lent, original)
            undo.callback(setattr, real, name, original)
            setattr(real, name, chosen)
        swaps[id(real.P2POp)] = messages.P2POp
        undo.callback(setattr, real, "P2POp", real.P2POp)
        real.P2POp = messages.P2POp
        for answer in answers:
            space = getattr(getattr(answer, "__func__", answer), "__globals__", {})
            for name, value in list(space.items()):
                if id(value) in swaps:
                    undo.callback(space.__setitem__, name, value)
                    space[name] = swaps[id(value)]
        yield
