"""One rank of a launch: the process that runs the function."""

from __future__ import annotations

import contextlib
import linecache
import os
import time
import traceback
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from gpuedu.multi.launch.board import Board, Standing
from gpuedu.multi.launch.counting import Counter

BOARD, TASK = "board", "task"
_LOOK_S = 0.005
MARK = "GPUEDU_LAUNCH"
"""An environment variable that what a rank starts inherits; it holds the launch's folder."""


def result_file(folder: Path, attempt: int, rank: int) -> Path:
    """Where a rank leaves what its function returned, or how it failed."""
    return folder / f"result-{attempt}-{rank}"


def calls_file(folder: Path, attempt: int, rank: int) -> Path:
    """Where a rank notes its collectives, one a line, before it calls them."""
    return folder / f"calls-{attempt}-{rank}"


def run_rank(folder: str) -> None:
    """What a process of the launch does: join the group, run the function, leave the result.

    The function, its arguments and the settings come by cloudpickle from the launch's folder, so
    that functions of a notebook can run here.
    """
    import cloudpickle

    rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    attempt = int(os.environ["TORCHELASTIC_RESTART_COUNT"])
    _be_known(Path(folder))
    board = Board(Path(folder) / BOARD, ranks)
    standing = Standing(rank, os.getpid(), attempt, "starts")
    board.write(standing)
    settings = cloudpickle.loads((Path(folder) / TASK).read_bytes())
    os.environ.update(settings["environment"])
    linecache.cache.update(settings["sources"])
    torch.set_num_threads(1)
    if settings["backend"] == "nccl":
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    _join(settings["backend"], attempt, timedelta(seconds=settings["patience_s"]))
    board.write(replace(standing, state="runs"))
    outcome: dict[str, Any] = {"exchanges": ()}
    calls = calls_file(Path(folder), attempt, rank)
    with calls.open("wb", 0) as log, Counter(board, standing, log, time.monotonic()) as counter:
        try:
            function, arguments = cloudpickle.loads(settings["call"])
            outcome["value"] = function(*arguments)
        except BaseException as fault:
            report = {"fault": _told(fault), "trace": _trace(fault), "at": time.time()}
            outcome |= report
            raise
        finally:
            outcome["exchanges"] = tuple(counter.exchanges)
            _leave(result_file(Path(folder), attempt, rank), outcome)
    board.write(replace(standing, state="done"))
    _wait_for_all(board)
    dist.destroy_process_group()


def _join(backend: str, attempt: int, patience: timedelta) -> None:
    """Join the group. All attempts share the launcher's store: each has its own part of it.

    Without that, the ranks of a second attempt would look for those of the first.
    """
    store, rank, ranks = next(dist.rendezvous("env://", timeout=patience))
    store = dist.PrefixStore(f"attempt-{attempt}", store)
    dist.init_process_group(backend, store=store, rank=rank, world_size=ranks, timeout=patience)
    dist.barrier()


def _wait_for_all(board: Board) -> None:
    """Stay in the group until all ranks are done: who leaves breaks the others' connections.

    One that waits for this rank still waits then, and the launch tells that as a deadlock.
    """
    while any(one is None or one.state != "done" for one in board.read()):
        time.sleep(_LOOK_S)


def _be_known(folder: Path) -> None:
    """Let the launch find this process, and all that it starts, whoever their parent is then.

    A launch that was interrupted may be over before its last rank has begun: then this ends here.
    """
    if not folder.exists():
        os._exit(0)
    os.environ[MARK] = str(folder)
    with contextlib.suppress(PermissionError):  # in a sandbox that has no sessions of one's own
        if hasattr(os, "setsid"):
            os.setsid()
    (folder / f"session-{os.getpid()}").touch()


def _told(fault: BaseException) -> str:
    text = str(fault)
    return f"{type(fault).__name__}: {text}" if text else type(fault).__name__


def _trace(fault: BaseException) -> str:
    """The traceback from the learner's function on."""
    own = fault.__traceback__
    return "".join(traceback.format_exception(type(fault), fault, own.tb_next if own else None))


def _leave(path: Path, outcome: dict[str, Any]) -> None:
    """Write the outcome whole: a rank that is killed here leaves none."""
    import cloudpickle

    try:
        raw = cloudpickle.dumps(outcome)
    except Exception as fault:  # what the function returned cannot be sent
        kind = type(outcome.get("value")).__name__
        message = f"what it returned, a {kind}, cannot be sent back: {_told(fault)}"
        raw = cloudpickle.dumps({"fault": message, "trace": "", "at": time.time(), "exchanges": ()})
    waiting = path.with_suffix(".part")
    waiting.write_bytes(raw)
    waiting.replace(path)
