"""Rules about how a script ends: warned before its limit, done, or with a program that failed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from gpuedu.exercises.clusters.batch_job.judge.requests import EARLIEST_S, SOONEST_S, Asked, asked
from gpuedu.exercises.clusters.slurm.amounts import minutes
from gpuedu.exercises.contract import Case
from gpuedu.exercises.documents import Complaint

_NOTHING = "no program was running"


def test_saves(case: Case, script: str, run: Any) -> Iterator[Complaint]:
    """Every program is warned in time, and saves before the job ends."""
    found = asked(script)
    warning = found.script.options.get("signal")
    if run is None or not run["programs"]:
        yield Complaint(_NOTHING)
        return
    if warning is None:
        yield Complaint(
            "nobody warns the job: without `--signal`, the first it hears of its limit is "
            "SIGTERM, 30 s before it is killed",
            "Which option asks for a signal earlier?",
        )
        return
    at = found.where("signal")
    if not SOONEST_S <= warning.lead_s <= EARLIEST_S:
        yield Complaint(
            f"{at}the signal comes {warning.lead_s:,} s before the limit",
            "How long does a save take, and what does the program do after it?",
        )
    limits = [one["step"]["time"] for one in run["programs"] if "time" in one["step"]]
    for limit in limits:
        if found.given and 60 * _limit_min(limit) < 60 * found.given.minutes - warning.lead_s:
            yield Complaint(
                f"`srun --time={limit[:30]}` ends the program long before the signal, and it "
                "saves nothing",
                "Which limit does a step have if its `srun` doesn't say?",
            )
    count = len(run["programs"])
    if run["saved"] < count or any(one["saved"] < count for one in run["requeues"]):
        yield _not_saved(found, run, count)


def _limit_min(text: str) -> float:
    """Of a step: none is as good as one that never comes."""
    try:
        return minutes(text) or math.inf
    except ValueError:
        return 0


def _not_saved(found: Asked, run: Any, count: int) -> Complaint:
    """What was seen of a run in which not all have saved."""
    warning = found.script.options["signal"]
    who = "the script's shell" if warning.to_shell else "the programs, and not the shell"
    start = f"{found.where('signal')}{warning.name} went to {who}"
    saved = f"{run['saved']} of {count} had saved"
    early = [one for one in run["requeues"] if one["saved"] < count]
    if early:
        return Complaint(
            f"{start}; the job was requeued when {early[0]['saved']} of {count} had saved, and "
            "that ends whatever runs",
            "What has to be over before the job goes back into the queue?",
        )
    deaf = [one for one in run["programs"] if one["name"] == "torchrun" and not _passes_on(one)]
    if deaf and run["ended"] == "exit":
        return Complaint(
            f"{start}; `torchrun` on {deaf[0]['host']} ended at once, and {saved}",
            "What does `torchrun` do with a signal that it wasn't told to handle?",
        )
    if run["ended"] == "killed":
        return Complaint(
            f"{start}, and the shell died of a signal: {saved} when the job ended with it",
            "What does bash do with a signal for which it has no trap?",
        )
    if run["left"]:
        return Complaint(
            f"{start}; then the script ended, and the job with it: {saved}",
            "What does the script do after it has passed the signal on? When is its last line "
            "reached?",
        )
    if run["ended"] == "limit":
        return Complaint(
            f"{start}; then nothing happened until the limit, and all were killed: {saved}",
            "What was bash doing when the signal came, and when does it run a trap?",
        )
    return Complaint(f"{start}; when the script ended, {saved}")


def _passes_on(one: Any) -> bool:
    return "SIGUSR1" in " ".join(one["words"]).upper()


def test_goes_on(case: Case, script: str, run: Any) -> Iterator[Complaint]:
    """After the save, the job goes back into the queue, once."""
    if run is None or not run["programs"]:
        yield Complaint(_NOTHING)
        return
    options = asked(script).script.options
    if "sbatch" in run["others"]:
        yield Complaint(
            "the script submitted another job instead of requeueing this one",
            "Which job keeps its number and its log?",
        )
    requeues, number = run["requeues"], str(case.inputs["job"])
    if not requeues:
        yield Complaint(
            "after the warning the job was never requeued, so the rest of the training isn't done",
            "Which command puts a job back into the queue, and when is it reached?",
        )
    elif any(one["job"] != number for one in requeues):
        other = next(one["job"] for one in requeues if one["job"] != number)
        yield Complaint(f"job {other[:40]} was requeued, and this one is {number}")
    elif len(requeues) > 1:
        yield Complaint(f"the job was requeued {len(requeues)} times")
    elif "requeue" not in options or "no-requeue" in options:
        yield Complaint(
            "`scontrol requeue` was refused: on this cluster a job has to allow it",
            "Which option of `sbatch` allows it?",
        )
    elif requeues[0]["saved"] < len(run["programs"]):
        yield Complaint("it was requeued before all had saved, so their work is lost")


def test_ends(case: Case, script: str, run: Any) -> Iterator[Complaint]:
    """A job whose program has ended by itself ends, too, with its status."""
    if run is None or not run["programs"]:
        yield Complaint("no program was started")
        return
    is_done = case.inputs["ends"] == "done"
    names = {one["name"] for one in run["programs"]}
    status = 0 if is_done else 1 if names == {"torchrun"} else case.inputs["status"]
    program = f"the program had ended with status {status}"
    if run["requeues"] or run["others"]:
        yield Complaint(
            f"{program}, and the script requeued the job",
            "How does the script know why the program has ended?",
        )
    elif run["ended"] == "limit":
        yield Complaint(f"{program}, and the script went on until the limit")
    elif run["left"]:
        yield Complaint("the script ended before the program, and the job with it")
    elif (run["status"], run["ended"]) != (status, "exit"):
        shown = "FAILED" if run["status"] else "COMPLETED"
        yield Complaint(
            f"{program}, and the script with {run['status']}, so Slurm calls the job {shown}",
            "Whose status is that of a script?",
        )
