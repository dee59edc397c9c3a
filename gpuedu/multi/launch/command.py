"""``launch``: real processes from a notebook cell, which always end."""

from __future__ import annotations

import contextlib
import linecache
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil

from gpuedu.interrupts import quiet_interrupts
from gpuedu.multi.launch.board import Board
from gpuedu.multi.launch.outcome import Launched, LaunchError, outcome_of
from gpuedu.multi.launch.rank import BOARD, TASK, run_rank
from gpuedu.multi.launch.server import ready_server, start_method
from gpuedu.multi.launch.surroundings import (
    own_files,
    own_folder,
    own_settings,
    quiet_launcher,
)
from gpuedu.multi.launch.watch import Watch, end_processes
from gpuedu.units import format_size

RANK_BYTES = 350 * 2**20
"""What a process takes once it has imported PyTorch and joined a group, rounded up."""


def launch(
    function: Callable[..., Any],
    ranks: int,
    *arguments: Any,
    backend: str = "",
    restarts: int = 0,
    time_limit_s: float = 120.0,
    stall_s: float = 15.0,
    show: Callable[[int, str], None] | None = None,
) -> Launched:
    """Run a function in real processes that form a process group of ``torch.distributed``.

    Each process joins the group and calls ``function(*arguments)``; functions of a notebook are
    sent by value. The notebook's own process is never forked. What the ranks print appears under
    their names. Whatever happens, all ranks, and what they started, have ended when this returns.

    Args:
        function: called in each process; what it returns is sent back by cloudpickle.
        ranks: how many processes.
        *arguments: sent to each.
        backend: "gloo", or "nccl" with a GPU for each rank; by default nccl if there are enough
            GPUs, otherwise gloo.
        restarts: how often all ranks start again when one has failed or was killed. The function
            finds the number of the attempt in ``os.environ["TORCHELASTIC_RESTART_COUNT"]``.
        time_limit_s: after this, all are ended.
        stall_s: they are also ended when every rank has been inside the same call for this long.
        show: called with a rank and its text, as it prints; by default printed with its name.

    Raises:
        LaunchError: the function cannot be sent, there is too little memory or there are too few
            GPUs; or the ranks were ended because of time or output.
        RankError: a rank failed, was killed, or left without a result: the first one that did.
        CommunicationError: the ranks called different collectives, or used unequal shapes.
        DeadlockError: the ranks wait for each other; it says which for which, in which line.
    """
    with quiet_interrupts():
        backend = backend or _usual_backend(ranks)
        _require_room(ranks, backend)
        with _ONE_AT_A_TIME, own_folder() as folder:
            (folder / TASK).write_bytes(_pack(function, arguments, backend, time_limit_s))
            board = Board(folder / BOARD, ranks, create=True)
            lines = _Lines()
            watch = Watch(
                folder, board, time_limit_s=time_limit_s, stall_s=stall_s, show=show or lines
            )
            ended = _ended(folder, board, lines, watch)
            with ended, ready_server(), own_files(folder), quiet_launcher(), own_settings(), watch:
                statuses = _run_elastic(folder, ranks, restarts)
            return outcome_of(folder, ranks, watch, statuses)


_ONE_AT_A_TIME = threading.Lock()
"""The launcher sets signal handlers and environment variables of the whole process."""


@contextlib.contextmanager
def _ended(folder: Path, board: Board, lines: _Lines, watch: Watch) -> Iterator[None]:
    """Whatever happens in the block: afterwards no process of the launch runs any more."""
    try:
        yield
    finally:
        end_processes(folder, watch.began_s, wait_s=5.0)
        board.close()
        lines.finish()


def _usual_backend(ranks: int) -> str:
    import torch

    return "nccl" if 0 < ranks <= torch.cuda.device_count() else "gloo"


def _require_room(ranks: int, backend: str) -> None:
    import torch

    if not isinstance(ranks, int) or ranks < 1:
        raise LaunchError(f"a launch needs at least one rank, got {ranks!r}")
    if backend == "nccl" and ranks > torch.cuda.device_count():
        raise LaunchError(
            f"{ranks} ranks with nccl need {ranks} GPUs, and there are {torch.cuda.device_count()}",
            remedy='fewer ranks, or backend="gloo"',
        )
    free = psutil.virtual_memory().available
    if ranks * RANK_BYTES > free:
        raise LaunchError(
            f"{ranks} ranks take about {format_size(ranks * RANK_BYTES)}, but only "
            f"{format_size(free)} is free",
            remedy=f"at most {max(free // RANK_BYTES, 1)}; light ranks take any number",
        )


def _pack(function: Any, arguments: Any, backend: str, time_limit_s: float) -> bytes:
    import cloudpickle

    try:
        call = cloudpickle.dumps((function, arguments))
    except Exception as fault:
        name = getattr(function, "__name__", "the function")
        raise LaunchError(
            f"`{name}` and its arguments cannot be sent to a process: {fault}",
            remedy="Open files, locks, generators and processes stay where they are: make them "
            "inside the function.",
        ) from fault
    settings = {
        "call": call,
        "backend": backend,
        "patience_s": 2 * time_limit_s,
        "environment": _environment(),
        # Of cells, which are in no file: a rank tells its lines, too.
        "sources": {
            name: entry
            for name, entry in linecache.cache.items()
            if len(entry) > 1 and entry[1] is None
        },
    }
    return cloudpickle.dumps(settings)


def _environment() -> dict[str, str]:
    """The notebook's own variables as they are now, and that ranks talk on this machine only."""
    own = {name: value for name, value in os.environ.items() if not _LAUNCHERS.match(name)}
    loopback = "lo0" if sys.platform == "darwin" else "lo"
    return own | {"GLOO_SOCKET_IFNAME": loopback, "OMP_NUM_THREADS": "1"}


_LAUNCHERS = re.compile(r"TORCHELASTIC_|TORCH_NCCL_|MASTER_|ROLE_|(.*_)?(RANK|WORLD_SIZE)$")
"""Variables that the launcher sets for each rank."""


def _run_elastic(folder: Path, ranks: int, restarts: int) -> dict[int, int | None]:
    """Run the ranks with PyTorch's own launcher, the one behind ``torchrun``.

    Returns:
        The exit status of each rank that failed, below 0 for a signal.
    """
    from torch.distributed.elastic.multiprocessing import DefaultLogsSpecs, SignalException, Std
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    logs = folder / "logs"
    logs.mkdir()
    config = LaunchConfig(
        min_nodes=1,
        max_nodes=1,
        nproc_per_node=ranks,
        run_id="launch",
        rdzv_backend="c10d",
        rdzv_endpoint="localhost:0",
        local_addr="localhost",
        start_method=start_method(),
        max_restarts=restarts,
        monitor_interval=0.1,
        logs_specs=DefaultLogsSpecs(log_dir=str(logs), redirects=Std.ALL),
    )
    # The errors themselves go no further: their tracebacks would keep the launcher's ports open.
    try:
        elastic_launch(config, run_rank)(str(folder))
    except ChildFailedError as fault:
        return {rank: failure.exitcode for rank, failure in fault.failures.items()}
    except SignalException as fault:
        if fault.sigval != signal.SIGINT:
            raise
    else:
        return {}
    raise KeyboardInterrupt


class _Lines:
    """Prints whole lines, each with the rank's name before it."""

    def __init__(self) -> None:
        self._rests: dict[int, str] = {}

    def __call__(self, rank: int, text: str) -> None:
        *lines, self._rests[rank] = (self._rests.get(rank, "") + text).split("\n")
        for line in lines:
            print(f"rank {rank} | {line}", flush=True)

    def finish(self) -> None:
        """Print what is left: a rank's last line may have no end."""
        for rank, rest in sorted(self._rests.items()):
            if rest:
                self(rank, "\n")
