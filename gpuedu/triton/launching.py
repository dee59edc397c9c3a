"""``kernel[grid](...)`` without a GPU: in the interpreter, written as for a GPU."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch

from gpuedu.trace import WARP_SIZE, Trace

_WARPS = 4
"""Triton's default."""


@contextmanager
def interpreted(tell: Callable[[Trace], None]) -> Iterator[None]:
    """Launches of Triton's kernels run in the interpreter meanwhile.

    Of several ``autotune`` configurations, the first that is not pruned is taken: the interpreter
    has no times to choose by.

    Args:
        tell: is given the account of each launch; what it raises ends the launch.
    """
    from triton.runtime.autotuner import Autotuner
    from triton.runtime.jit import JITFunction

    from gpuedu.triton.launch import simulate

    def run(kernel: Any, *arguments: Any, grid: Any, warmup: bool = False, **named: Any) -> None:
        if warmup:
            return
        threads = WARP_SIZE * int(named.get("num_warps") or _WARPS)
        known = set(kernel.arg_names)
        constants = {name: value for name, value in named.items() if name in known}
        pointed = pointed_by({**dict(zip(kernel.arg_names, arguments, strict=False)), **constants})
        tell(simulate(kernel, grid, threads, *arguments, pointed=pointed, **constants))

    def tuned(tuner: Any, *arguments: Any, **named: Any) -> None:
        tuner.nargs = dict(zip(tuner.arg_names, arguments, strict=False))
        chosen = tuner.best_config = tuner.prune_configs(named)[0]
        if chosen.pre_hook is not None:
            chosen.pre_hook({**tuner.nargs, **named, **chosen.all_kwargs()})
        tuner.fn.run(*arguments, **{**named, **chosen.all_kwargs()})

    before = JITFunction.run, Autotuner.run
    JITFunction.run, Autotuner.run = run, tuned
    try:
        yield
    finally:
        JITFunction.run, Autotuner.run = before


_LEAST_ADDRESS = 1 << 24
"""What is less is an index or a size: no tensor lies so low."""


def pointed_by(arguments: Mapping[str, Any]) -> dict[str, torch.Tensor]:
    """Tensors of this process whose addresses occur as numbers in an array among these arguments.

    >>> x = torch.ones(3)
    >>> pointed_by({"where": torch.tensor([5, x.data_ptr()]), "n": 3})
    {'where[1]': tensor([1., 1., 1.])}
    """
    names: dict[int, str] = {}
    for name, value in arguments.items():
        if isinstance(value, torch.Tensor) and value.dtype in (torch.int64, torch.uint64):
            numbers = value.detach().flatten().tolist()
            found = {one: at for at, one in enumerate(numbers) if one >= _LEAST_ADDRESS}
            names |= {one: f"{name}[{at}]" for one, at in found.items()}
    if not names:
        return {}
    largest: dict[str, torch.Tensor] = {}
    for tensor in [one for one in gc.get_objects() if issubclass(type(one), torch.Tensor)]:
        name = names.get(_address_of(tensor), "")
        if name and (name not in largest or tensor.numel() > largest[name].numel()):
            largest[name] = tensor
    return largest


def _address_of(tensor: torch.Tensor) -> int:
    try:
        return tensor.data_ptr()
    except RuntimeError:  # a tensor without a memory of its own
        return 0


def interpret_from_now_on(tell: Callable[[Trace], None]) -> None:
    """The same for the rest of this process; a second call changes nothing."""
    if not _for_good:
        _for_good.append(interpreted(tell))
        _for_good[0].__enter__()


_for_good: list[Any] = []
