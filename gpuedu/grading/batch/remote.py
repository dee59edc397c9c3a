"""What a worker of a cluster runs: it hands a job to a grader process on its own machine.

A worker's thread judges nothing itself: judges set seeds and stop what takes too long, which needs
a separate process; whatever happens to that leaves the worker as it was.
"""

from __future__ import annotations

import threading

from gpuedu.grading.batch.jobs import Job, Reply
from gpuedu.grading.batch.processes import GraderProcess
from gpuedu.grading.sandbox.sweeping import keep_swept

_kept = threading.local()
"""The process of each thread, with its warm sandbox; the kernel ends it with the thread."""
_sweeping = threading.Lock()


def grade_here(job: Job) -> Reply:
    """Have a job judged by this thread's grader process, which stays for the next one."""
    _sweep_once(job.sandbox)
    process = getattr(_kept, "process", None)
    if process is not None and process.is_alive():
        reply = _ask(process, job)
        if not reply.is_unfit:
            return reply
        process.end()  # it may have loaded a course that has been brought up to date since
    elif process is not None:
        process.end()
    _kept.process = GraderProcess()
    return _ask(_kept.process, job)


def _ask(process: GraderProcess, job: Job) -> Reply:
    process.send(job)
    return process.receive()


def _sweep_once(sandbox: bool) -> None:
    """Remove what graders left behind on this machine that were killed."""
    with _sweeping:
        if sandbox:
            keep_swept()
