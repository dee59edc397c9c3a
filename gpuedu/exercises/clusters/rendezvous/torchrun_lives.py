"""A training under real ``torchrun``: two agents on this machine, one joins late, one is killed.

Each agent stands for a machine and starts two workers. The store in which the agents meet is in
the calling process, so that either agent can be killed.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil

from gpuedu.errors import AnswerError
from gpuedu.exercises.clusters.rendezvous.diary import Entry, read_diaries
from gpuedu.exercises.clusters.rendezvous.elastic_job import Shape
from gpuedu.exercises.clusters.rendezvous.elastic_worker import GO, TASK
from gpuedu.multi.launch.outcome import LaunchError
from gpuedu.multi.launch.rank import MARK
from gpuedu.multi.launch.watch import end_processes
from gpuedu.units import format_size

WORKERS = 2
"""Of each agent."""
SAMPLE_S = 0.05
ROOM_BYTES = 1200 * 2**20
"""What two agents and four workers take together, rounded up."""
_LOOK_S = 0.1
_CHECK = "Does `check` pass?"
_RENDEZVOUS = {
    "is_host": "false",
    "join_timeout": 60,
    "last_call_timeout": 3,  # an agent that is late by more begins a life of its own
    "keep_alive_interval": 1,
    "keep_alive_max_attempt": 3,
}
_ADDRESSES = {"A": "127.0.0.1", "B": "localhost"}
"""Ranks follow the order of addresses as texts, then of process numbers, which start anew."""
WAIT_AT = (3, 3)
"""After how many steps the workers of a life wait: until agent B joins, until A is killed."""


@dataclass(frozen=True)
class Elastic:
    """The diaries of all workers; when agents were "started" and "killed", as (name, what, at)."""

    entries: Sequence[Entry]
    agents: Sequence[tuple[str, str, float]]


def run_torchrun(
    train: Callable[..., Any], shape: Shape, every: int, *, time_limit_s: float = 150.0
) -> Elastic:
    """Train under ``torchrun`` through three lives of 2, 4 and 2 workers.

    Agent A begins alone. Agent B joins, so all start again; then agent A and its workers are killed
    by SIGKILL, rank 0 among them, and B goes on alone. Whatever happens, every process that was
    started has ended when this returns.

    Args:
        train: the learner's function; sent by value.
        shape: of the training.
        every: samples between checkpoints.
        time_limit_s: after so long all is ended.

    Raises:
        AnswerError: a worker failed, with its line; or the training did not end in time.
        LaunchError: there is too little memory.
    """
    free = psutil.virtual_memory().available
    if free < ROOM_BYTES:
        told = f"two agents and their workers take about {format_size(ROOM_BYTES)}"
        raise LaunchError(f"{told}, and {format_size(free)} are free")
    with _launched(train, shape, every) as (folder, start):
        run = _Run(folder, time.monotonic() + time_limit_s)
        first = start("A")
        agents = [("A", "started", time.time())]
        run.wait_for(lambda one: one["kind"] == "born", first)
        second = start("B")
        agents.append(("B", "started", time.time()))
        run.wait_for(lambda one: one["life"] == 1 and one["kind"] == "waits", first)
        agents.append(("A", "killed", time.time()))
        _kill(first)
        (folder / f"{GO}1").touch()
        run.wait_for_end(second)
        return Elastic(read_diaries(folder), agents)


class _Run:
    """Looks at the diaries until something is in them."""

    def __init__(self, folder: Path, until_s: float) -> None:
        self._folder, self._until_s = folder, until_s

    def wait_for(self, wanted: Callable[[Entry], bool], agent: subprocess.Popen[bytes]) -> None:
        """Wait for an entry; AnswerError where an agent ends before."""
        while not any(wanted(one) for one in self._look()):
            if agent.poll() is not None:
                raise AnswerError(f"torchrun ended too early, {self._last_lines()}", remedy=_CHECK)

    def wait_for_end(self, agent: subprocess.Popen[bytes]) -> None:
        """Wait until an agent has ended; AnswerError where that was no success."""
        while agent.poll() is None:
            self._look()
        self._look()
        if agent.returncode:
            raise AnswerError(f"torchrun failed, {self._last_lines()}", remedy=_CHECK)

    def _look(self) -> list[Entry]:
        time.sleep(_LOOK_S)
        entries = read_diaries(self._folder)
        for one in entries:
            if one["kind"] == "failure":
                raise AnswerError(f"life {one['life'] + 1}, rank {one['rank']}: {one['told']}")
        if time.monotonic() > self._until_s:
            raise AnswerError("the training under torchrun did not end in time", remedy=_CHECK)
        return entries

    def _last_lines(self) -> str:
        """What the agents wrote last."""
        logs = sorted(self._folder.glob("log-*"))
        found = [path.read_text("utf-8", "replace").splitlines()[-1:] for path in logs]
        return "; ".join(line.strip() for lines in found for line in lines)


@contextlib.contextmanager
def _launched(train: Any, shape: Shape, every: int) -> Iterator[tuple[Path, Callable[[str], Any]]]:
    import cloudpickle
    from torch.distributed import TCPStore

    began_s = time.time()
    with tempfile.TemporaryDirectory(prefix="gpuedu-elastic-") as made:
        folder = Path(made)
        settings = {
            "train": cloudpickle.dumps(train),
            "shape": asdict(shape),
            "every": every,
            "wait_at": WAIT_AT,
            "sample_s": SAMPLE_S,
        }
        (folder / TASK).write_bytes(cloudpickle.dumps(settings))
        store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
        port = store.port
        started: list[subprocess.Popen[bytes]] = []

        def start(agent: str) -> subprocess.Popen[bytes]:
            with (folder / f"log-{agent}").open("wb") as log:
                started.append(
                    subprocess.Popen(
                        _command(folder, agent, port),
                        env=_environment(folder),
                        stdin=subprocess.DEVNULL,
                        stdout=log,
                        stderr=log,
                        start_new_session=True,
                    )
                )
            return started[-1]

        try:
            yield folder, start
        finally:
            for process in started:
                _kill(process)
            end_processes(folder, began_s, wait_s=5.0)
            del store  # and with it its port


def _command(folder: Path, agent: str, port: int) -> list[str]:
    conf = ",".join(f"{name}={value}" for name, value in _RENDEZVOUS.items())
    return [
        *(sys.executable, "-m", "torch.distributed.run"),
        *("--nnodes=1:2", f"--nproc-per-node={WORKERS}", "--max-restarts=3"),
        *("--rdzv-backend=c10d", f"--rdzv-endpoint=127.0.0.1:{port}", "--rdzv-id=lesson"),
        *(f"--rdzv-conf={conf}", f"--local-addr={_ADDRESSES[agent]}", "--monitor-interval=0.1"),
        *("-m", "gpuedu.exercises.clusters.rendezvous.elastic_worker", str(folder), agent),
    ]


def _environment(folder: Path) -> dict[str, str]:
    root = str(Path(__file__).resolve().parents[4])
    path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH", "")])])
    return os.environ | {
        MARK: str(folder),
        "PYTHONPATH": path,
        "OMP_NUM_THREADS": "1",
        "TMPDIR": str(folder),
        "GLOO_SOCKET_IFNAME": "lo0" if sys.platform == "darwin" else "lo",
        "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
    }


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End an agent and all its workers at once, as a machine that loses its power does."""
    with contextlib.suppress(psutil.Error):
        own = psutil.Process(process.pid)
        for one in [own, *own.children(recursive=True)]:
            with contextlib.suppress(psutil.Error):
                one.kill()
    process.wait()
