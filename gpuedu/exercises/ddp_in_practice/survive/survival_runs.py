"""Real ranks that train with the learner's functions, and are killed: runs and their diaries."""

from __future__ import annotations

import os
import tempfile
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gpuedu.errors import AnswerError, GpueduError
from gpuedu.exercises.ddp_in_practice.survive.diary import Diary, Entry, read_diaries
from gpuedu.exercises.ddp_in_practice.survive.interrupted_job import ONE_RANK_ONLY, Job, Shape
from gpuedu.exercises.ddp_in_practice.survive.planted_deaths import Deaths, Plan
from gpuedu.exercises.ddp_in_practice.survive.survival_story import Story
from gpuedu.exercises.ranks.launching import launch_ranks, tell_failure

RANKS, DEATHS = 2, 3
NOTE, NOTED = "note", "what is in the folder stays\n"
"""A file that is in the folder before the ranks train, and what is in it."""
CRASHED = (
    "No exception was raised there: the other process has exited, or it has crashed in compiled "
    "code. What does that rank call next, and with what? `torch.set_rng_state` crashes on a row "
    "of a larger tensor, so give it a copy of the row."
)


@dataclass(frozen=True)
class Survival:
    """What the ranks did, and how it ended where it did not end well.

    ``entries`` are the diaries'; ``failure`` is "" or what happened, in which ``attempt``, with a
    ``remedy``.
    """

    entries: Sequence[Entry]
    failure: str = ""
    remedy: str = ""
    attempt: int = 0


def run_survival(
    save: Callable[..., Any], train: Callable[..., Any], shape: Shape, every: int, plan: Plan
) -> Survival:
    """Train unbroken, again when that is complete, and once more with a death in each attempt.

    All in one launch of two ranks, joined by gloo: attempt 0 makes the first two runs and begins
    the third, which the attempts behind it go on with.

    Raises:
        GpueduError: the unbroken run failed, or the one that is started again when it is complete.
    """
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        fault: GpueduError | None = None
        try:
            launch_ranks(
                on_rank,
                RANKS,
                (save, train),
                (asdict(shape), every, asdict(plan)),
                made,
                restarts=DEATHS,
                stall_s=5.0,
                time_limit_s=100.0,
            )
        except GpueduError as found:
            fault = found
        entries = read_diaries(folder)
    return _survival(entries, fault)


def _survival(entries: Sequence[Entry], fault: GpueduError | None) -> Survival:
    dead = {one["attempt"] for one in entries if one["kind"] == "death"}
    failures = [one for one in entries if one["kind"] == "failure" and one["attempt"] not in dead]
    if failures:
        first = failures[0]
        told, remedy, attempt = first["told"], first["remedy"], first["attempt"]
    elif fault is not None:
        attempt = max((one["attempt"] for one in entries), default=0)
        told, remedy = fault.message, fault.remedy
    elif sum((one["run"], one["kind"]) == ("unbroken", "end") for one in entries) < RANKS:
        raise AnswerError("a rank ended before `train_job` had returned", remedy="Return from it.")
    else:
        return Survival(entries)
    alone = Story(entries).left_alone(attempt)
    if alone:
        told, remedy = f"{alone}; then {told}", "With which step does each rank go on?"
    if attempt == 0:
        writers = Story(entries).writers_of_one_file()
        if writers:
            told, remedy = f"{writers}; then {told}", "Only one rank may write a file. Which one?"
        raise AnswerError(told, remedy=remedy)
    return Survival(entries, told, remedy, attempt)


def on_rank(answers: Sequence[Any], numbers: Sequence[Any], made: str) -> None:
    """What a rank does; a failure is kept, and no attempt behind it does anything."""
    import torch.distributed as dist

    folder = Path(made)
    attempt = int(os.environ["TORCHELASTIC_RESTART_COUNT"])
    if attempt and not _died(folder, attempt - 1):
        return
    diary = Diary(folder, attempt, dist.get_rank())
    shape, every, plan = Shape(**numbers[0]), numbers[1], Plan(**numbers[2])
    deaths = Deaths(plan, diary, folder)
    try:
        with deaths.planted():
            _train(answers[1], shape, every, diary, deaths, folder)
    except BaseException as failed:  # an exit, too: the launch would only start again
        told, remedy = _tell(failed, diary.rank)
        diary.write("failure", told=told, remedy=remedy)
        raise


def _died(folder: Path, attempt: int) -> bool:
    entries = read_diaries(folder)
    return any(one["kind"] == "death" and one["attempt"] == attempt for one in entries)


def _train(
    train: Callable[..., Any],
    shape: Shape,
    every: int,
    diary: Diary,
    deaths: Deaths,
    folder: Path,
) -> None:
    def on_step(job: Job, number: int) -> None:
        diary.step = number
        diary.write("step", **job.look())
        deaths.in_step(number)

    import torch.distributed as dist

    runs = {"unbroken": "one", "again": "one", "broken": "two"}
    for run, place in runs.items():
        if run != "broken" and diary.attempt:
            continue
        diary.run, diary.step = run, -1
        job = Job(shape, on_step)
        own = folder / place
        own.mkdir(exist_ok=True)
        note = own / NOTE
        if not (diary.rank or diary.attempt or run == "again"):
            with note.open("w", encoding="utf-8") as file:  # `write_text` is watched
                file.write(NOTED)
        dist.barrier()
        train(job, own, every)
        stays = note.is_file() and note.read_text("utf-8", "replace") == NOTED
        diary.write("end", stays=stays, **job.look())
        dist.barrier()  # a run is over when it is on all ranks: the next one reads what it wrote


def _tell(failed: BaseException, rank: int) -> tuple[str, str]:
    if isinstance(failed, GpueduError):
        is_of_all = failed.message.startswith(("rank ", "the ranks "))
        told = failed.message if is_of_all else f"rank {rank}: {failed.message}"
        return told, failed.remedy
    text = str(failed)
    trace = "".join(traceback.format_exception(failed))
    if isinstance(failed, RuntimeError) and "gloo" in text:  # which names its own source files
        told = f"rank {rank} waits in vain: another rank has ended, or is in another collective"
        why = CRASHED if "closed by peer" in text else ONE_RANK_ONLY
        return tell_failure(f"{told}\n\n{trace}"), why
    named = f"{type(failed).__name__}: {text}" if text else type(failed).__name__
    return tell_failure(f"rank {rank} failed: {named}\n\n{trace}"), ""
