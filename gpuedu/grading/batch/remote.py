"""What a worker of a cluster runs: it hands a job to a grader process of its own machine.

A worker's thread judges nothing itself: judges set seeds and stop what takes too long, which needs
a process of one's own, and whatever happens to that leaves the worker as it was.
"""

from __future__ import annotations

import threading

from gpuedu.grading.batch.jobs import Job, Reply
from gpuedu.grading.batch.seats import Seat
from gpuedu.grading.sandbox.cgroups import sweep_groups

_kept = threading.local()
"""The seat of each thread, with its warm sandbox; the kernel ends it with the thread."""
_sweeping = threading.Lock()
_swept: list[bool] = []


def grade_here(job: Job) -> Reply:
    """Have a job judged by this thread's grader process, which stays for the next one."""
    _sweep_once(job.sandbox)
    seat = getattr(_kept, "seat", None)
    if seat is not None and seat.is_alive():
        reply = _ask(seat, job)
        if not reply.is_unfit:
            return reply
        seat.end()  # it may have loaded a course that has been brought up to date since
    elif seat is not None:
        seat.end()
    _kept.seat = Seat()
    return _ask(_kept.seat, job)


def _ask(seat: Seat, job: Job) -> Reply:
    seat.send(job)
    return seat.receive()


def _sweep_once(sandbox: bool) -> None:
    """Remove what graders left behind on this machine that were killed."""
    with _sweeping:
        if sandbox and not _swept:
            _swept.append(True)
            sweep_groups()
