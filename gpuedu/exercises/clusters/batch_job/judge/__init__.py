"""batch-job: a batch script, judged by what it asks for, and by what it does when bash runs it."""

from __future__ import annotations

import numpy as np

from gpuedu.exercises.clusters.batch_job.judge.endings import test_ends, test_goes_on, test_saves
from gpuedu.exercises.clusters.batch_job.judge.launches import hosts_of, test_one_program
from gpuedu.exercises.clusters.batch_job.judge.requests import (
    test_accepted,
    test_enough,
    test_log,
    test_no_waste,
    test_starts_soon,
)
from gpuedu.exercises.contract import Case, Judge, Prediction
from gpuedu.exercises.documents import document_rule

_TEXT = ("accepted", "enough", "no-waste", "starts-soon", "log")
_CASES = (
    (
        "a run that is warned before its limit",
        "warned",
        (*_TEXT, "one-program", "saves", "goes-on"),
    ),
    ("a run that completes the training", "done", ("ends",)),
    ("a run whose program fails", "failed", ("ends",)),
)


def cases(rng: np.random.Generator) -> list[Case]:
    """A run for each way in which the program ends, with other nodes and another number."""
    found = []
    for label, ends, decides in _CASES:
        numbers = rng.permutation(np.arange(1, 41))[:6].tolist()
        # Too large a number for a port, and a status that nobody guesses.
        job, status = int(rng.integers(100_000, 900_000)), int(rng.integers(3, 100))
        inputs = {"job": job, "numbers": numbers, "ends": ends, "status": status}
        found.append(Case(label, inputs, decides, {"hosts": hosts_of(numbers)}))
    return found


JUDGE = Judge(
    title="A job that carries on",
    properties=(
        document_rule(
            "accepted",
            "`sbatch` accepts the script and reads all of its `#SBATCH` lines",
            0.5,
            test_accepted,
            asks="What does `sbatch` say about this line?",
            after=("enough",),
        ),
        document_rule(
            "enough",
            "it asks for enough: nodes, GPUs, cores and memory",
            1.5,
            test_enough,
            asks="How much do all processes on one node need together?",
            waits_for=("accepted",),
        ),
        document_rule(
            "no-waste",
            "it asks for nothing that it doesn't use",
            1,
            test_no_waste,
            asks="How much do all processes on one node need together?",
            after=("enough",),
            waits_for=("accepted", "enough"),
        ),
        document_rule(
            "starts-soon",
            "its runs last at least an hour, and the first starts at once",
            1,
            test_starts_soon,
            asks="How long are two nodes free?",
            after=("enough",),
            waits_for=("accepted",),
        ),
        document_rule(
            "log",
            "each job has its own log, and a requeued one continues it",
            0.5,
            test_log,
            asks="Which file does a requeued job write to?",
            waits_for=("accepted",),
        ),
        document_rule(
            "one-program",
            "every rank runs once, and all of them meet on a node of the job",
            1.5,
            test_one_program,
            asks="What does each process need to know of the others?",
            waits_for=("accepted", "enough"),
        ),
        document_rule(
            "saves",
            "warned 1 to 10 minutes before the limit, all processes save before the job ends",
            1.5,
            test_saves,
            asks="What got the signal, what passed it on, and what waited?",
            waits_for=("accepted", "one-program"),
        ),
        document_rule(
            "goes-on",
            "after the save, the job requeues itself, once",
            1,
            test_goes_on,
            asks="Which command puts this job back into the queue?",
            waits_for=("accepted", "saves"),
        ),
        document_rule(
            "ends",
            "a job whose program has ended or failed isn't requeued, and has the program's status",
            0.5,
            test_ends,
            asks="What does the script do after the program has ended?",
            waits_for=("accepted", "one-program"),
        ),
    ),
    hints=(
        "Start with the resources of one node: how many processes run there, and what do they "
        "need together? For the time: how long are the free nodes free?",
        "bash runs a trap only when the command in the foreground has ended, but `wait` returns at "
        "once. So put `srun ... &` in the background, keep its number, `step=$!`, and `wait` for "
        "it, and once more in the trap.",
        'The trap calls a function of three lines: `kill -USR1 "$step"`, `wait "$step"`, and '
        '`scontrol requeue "$SLURM_JOB_ID"`. The first node\'s name is the first line of `scontrol '
        'show hostnames "$SLURM_JOB_NODELIST"`.',
    ),
    cases=cases,
    predictions={
        "batch-job": Prediction(
            "After how many hours does a job start that asks for two nodes and 24 hours?",
            10,
            "h",
            because="The big job is first in line, and would be late if yours still ran after 4 "
            "hours. So yours waits until the big one ends, at 4 + 6 hours.",
            exact=True,
        )
    },
)
