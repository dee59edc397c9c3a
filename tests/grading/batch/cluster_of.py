"""A real cluster on this machine: a scheduler and workers, each a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[3]
QUIET = {"DASK_DISTRIBUTED__ADMIN__LOG_FORMAT": "%(message)s"}


class SmallCluster:
    """A scheduler on a free port of 127.0.0.1; ``start_worker`` adds workers without a nanny."""

    def __init__(self, folder):
        self.folder = folder
        file = folder / "scheduler.json"
        self.scheduler = self._start(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
            "--scheduler-file", str(file),
        )  # fmt: skip
        end_s = time.monotonic() + 60
        self.address = ""
        while not self.address:
            assert time.monotonic() < end_s and self.scheduler.poll() is None
            with contextlib.suppress(OSError, ValueError):
                self.address = json.loads(file.read_text())["address"]
            time.sleep(0.05)
        self.workers = []

    def _start(self, kind, *more, **environment):
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **QUIET, **environment}
        with (self.folder / f"{kind}.log").open("a") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "distributed.cli.dask_" + kind, *more],
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def start_worker(self, threads=1, **environment):
        worker = self._start(
            "worker", self.address, "--host", "127.0.0.1", "--no-nanny", "--no-dashboard",
            "--nthreads", str(threads), "--local-directory", str(self.folder),
            **environment,
        )  # fmt: skip
        self.workers.append(worker)
        return worker

    def wait_for(self, count):
        """Wait until the scheduler knows so many workers."""
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(count, timeout=60)

    def end_workers(self):
        for process in self.workers:
            process.kill()
            process.wait()
        self.workers.clear()

    def end(self):
        self.end_workers()
        self.scheduler.kill()
        self.scheduler.wait()
