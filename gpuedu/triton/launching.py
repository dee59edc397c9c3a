"""``kernel[grid](...)`` without a GPU: in the interpreter, as it is written for one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gpuedu.trace import WARP_SIZE, Trace

_WARPS = 4
"""Triton's default."""


@contextmanager
def interpreted(tell: Callable[[Trace], None]) -> Iterator[None]:
    """Launches of Triton's kernels run in the interpreter meanwhile.

    Of several configurations of ``autotune`` the first one that is not pruned is taken: the
    interpreter has no times to choose by.

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
        tell(simulate(kernel, grid, threads, *arguments, **constants))

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


def interpret_from_now_on(tell: Callable[[Trace], None]) -> None:
    """The same for as long as this process lives; a second call changes nothing."""
    if not _for_good:
        _for_good.append(interpreted(tell))
        _for_good[0].__enter__()


_for_good: list[Any] = []
