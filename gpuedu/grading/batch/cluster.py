"""Grading carried over a cluster by Dask: the workers of a scheduler judge, one job per thread.

Only answers, and the seed of one learner's cases, travel; submissions, verdicts and the class's
secret stay on the class's machine. Which worker has which job is decided here, so that after a
fault another one can try, and a useless one is left out.
"""

from __future__ import annotations

import contextlib
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpuedu.errors import GpueduError
from gpuedu.grading.batch.jobs import Job, Reply
from gpuedu.grading.batch.remote import grade_here
from gpuedu.grading.verdict import GradingTask

if TYPE_CHECKING:
    from distributed import Client, Future

CONNECT_LIMIT_S, RESULT_LIMIT_S, WORKER_LIMIT_S, LOOK_S = 20.0, 30.0, 60.0, 1.0
"""Seconds to find the scheduler; for a verdict to arrive; to wait if no worker is left; between
looks at the workers."""
_AGAIN = "run the same command again: what is graded is kept"


@dataclass(frozen=True)
class _Place:
    """Where a job is, and what Dask will say of it."""

    address: str
    future: Future


class ClusterCrew:
    """The workers of a Dask scheduler, including those that join later.

    Args:
        address: of the scheduler, such as ``tcp://10.0.0.1:8786``.
        most: jobs at a time; 0 for one per worker thread.
        warn: is told of useless workers, and why.

    Raises:
        GpueduError: Dask is not installed, or there is no scheduler.
    """

    def __init__(self, address: str, most: int, warn: Callable[[str], None]) -> None:
        self._client = _connect(address)
        self._address, self._most, self._warn = address, most, warn
        self._places: dict[Job, _Place] = {}
        self._unfit: dict[str, str] = {}
        self._tried: dict[GradingTask, set[str]] = defaultdict(set)
        self._threads: dict[str, int] = {}
        self._looked_s = self._had_workers_s = time.monotonic()
        self._look()

    def has_room(self) -> bool:
        """True if a thread of a worker has no job."""
        return bool(self._free()) and not 0 < self._most <= len(self._places)

    def take(self, job: Job) -> None:
        """Give a job to the worker with most free threads that had no fault with it."""
        free, tried = self._free(), self._tried[job.task]
        address = min(free, key=lambda one: (one in tried, -free[one], one))
        tried.add(address)
        try:
            future = self._client.submit(grade_here, job, workers=[address], pure=False)
        except (OSError, RuntimeError) as fault:
            raise self._lost(fault) from fault
        self._places[job] = _Place(address, future)

    def replies(self) -> list[tuple[Job, Reply]]:
        """Wait a little, and take the replies; a job whose worker is gone is a fault.

        Raises:
            GpueduError: the scheduler is gone, or no worker is left that can grade.
        """
        if self._places:
            self._wait()
        else:
            time.sleep(LOOK_S)
        if time.monotonic() - self._looked_s >= LOOK_S:
            self._look()
            self._require_workers()
        ended = [job for job, place in self._places.items() if self._has_ended(place)]
        return [(job, self._reply(self._places.pop(job))) for job in ended]

    def end(self) -> None:
        """Leave the cluster; what is still being judged there is thrown away."""
        try:
            self._client.close(timeout=5)
        except (OSError, TimeoutError):
            self._warn("the scheduler did not say goodbye")

    def _wait(self) -> None:
        from distributed import CancelledError, wait

        futures = [place.future for place in self._places.values()]
        # Nothing yet, or the scheduler is gone, which the next look tells.
        with contextlib.suppress(TimeoutError, CancelledError), self._client.as_current():
            wait(futures, timeout=LOOK_S, return_when="FIRST_COMPLETED")

    def _look(self) -> None:
        """See which workers there are, each with its threads."""
        try:
            info = self._client.scheduler_info(n_workers=-1)
        except (OSError, TimeoutError, RuntimeError) as fault:
            raise self._lost(fault) from fault
        if self._client.status != "running":
            raise self._lost(self._client.status)
        self._looked_s = time.monotonic()
        self._threads = {one: worker["nthreads"] for one, worker in info["workers"].items()}

    def _lost(self, fault: Any) -> GpueduError:
        return GpueduError(f"the scheduler at {self._address} is gone: {fault}", remedy=_AGAIN)

    def _require_workers(self) -> None:
        now_s = time.monotonic()
        if self._threads.keys() - self._unfit:
            self._had_workers_s = now_s
        elif self._unfit:
            faults = "; ".join(sorted(set(self._unfit.values())))
            raise GpueduError(
                f"no worker of {self._address} can grade this class: {faults}", remedy=_AGAIN
            )
        elif now_s - self._had_workers_s > WORKER_LIMIT_S:
            raise GpueduError(
                f"the scheduler at {self._address} has had no worker for {WORKER_LIMIT_S:.0f} s",
                remedy=f"`dask worker {self._address}` on a machine with gpuedu; then {_AGAIN}",
            )

    def _free(self) -> dict[str, int]:
        """Free threads by worker, where there are any."""
        busy = Counter(place.address for place in self._places.values())
        free = {one: threads - busy[one] for one, threads in self._threads.items()}
        return {one: count for one, count in free.items() if count > 0 and one not in self._unfit}

    def _has_ended(self, place: _Place) -> bool:
        return place.future.done() or place.address not in self._threads

    def _reply(self, place: _Place) -> Reply:
        if not place.future.done():
            place.future.cancel()
            return Reply(fault=f"its worker at {place.address} is gone")
        if place.future.status != "finished":  # our function never raises: Dask could not run it
            return self._not_run(place)
        try:
            reply = place.future.result(timeout=RESULT_LIMIT_S)
        except Exception as fault:  # the worker went with the result; whatever Dask makes of it
            return Reply(fault=f"the result of {place.address} did not arrive: {fault!r}")
        if reply.is_unfit:
            self._leave_out(place.address, reply.fault)
        return reply

    def _not_run(self, place: _Place) -> Reply:
        from distributed import CancelledError, KilledWorker

        fault = place.future.exception() if place.future.status == "error" else CancelledError()
        if isinstance(fault, (CancelledError, KilledWorker)):
            return Reply(fault=f"its worker at {place.address} is gone")
        self._leave_out(place.address, f"it cannot run the grader: {fault!r}")
        return Reply(fault=repr(fault), is_unfit=True)

    def _leave_out(self, address: str, why: str) -> None:
        if address not in self._unfit:
            self._warn(f"worker {address} is left out: {why}")
        self._unfit[address] = why


def _connect(address: str) -> Client:
    try:
        from distributed import Client
    except ImportError as fault:
        raise GpueduError(
            "grading over a cluster needs Dask, which is not installed here",
            remedy="`pip install distributed`, here and on the workers",
        ) from fault
    try:
        return Client(address, timeout=CONNECT_LIMIT_S, set_as_default=False)
    except Exception as fault:  # whatever Dask makes of an address
        raise GpueduError(
            f"there is no scheduler at {address}: {fault}",
            remedy="start `dask scheduler`, and give the address that it prints",
        ) from fault
