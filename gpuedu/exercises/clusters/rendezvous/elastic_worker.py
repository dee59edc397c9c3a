"""A worker that ``torchrun`` starts: it joins, calls the learner's function, and keeps a diary.

``python -m gpuedu.exercises.clusters.rendezvous.elastic_worker FOLDER AGENT``
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist

from gpuedu.errors import GpueduError
from gpuedu.exercises.clusters.rendezvous.diary import Diary, Folder
from gpuedu.exercises.clusters.rendezvous.elastic_job import Job, Shape
from gpuedu.exercises.guard import learner_line

TASK, GO = "task.pickle", "go-"
"""Files of the folder: what to do; and, with the number of a life, that its workers may go on."""
PATIENCE_S = 60.0


class Watch:
    """Notes what a worker does, and has it wait for the planned end of its life.

    Args:
        wait_at: after so many steps of this life; None where nothing ends it.
        diary: of this worker.
        go: while this file is not there, workers that wait do so.
        sample_s: so long the gradient of a sample takes.
    """

    def __init__(self, wait_at: int | None, diary: Diary, go: Path, sample_s: float) -> None:
        self._wait_at, self._diary, self._go, self._sample_s = wait_at, diary, go, sample_s
        self._step = 0

    def __call__(self, job: Job, kind: str, samples: list[int]) -> None:
        """Note an act before it is done."""
        if self._step == self._wait_at and kind == "gradient":
            self._diary.write("waits", step=self._step)
            self._wait()
        self._diary.write(kind, step=self._step, samples=samples)
        time.sleep(self._sample_s * len(samples))
        self._step += kind == "step"

    def _wait(self) -> None:
        end_s = time.monotonic() + PATIENCE_S
        while not self._go.exists() and time.monotonic() < end_s:
            time.sleep(0.02)


def main(made: str, agent: str) -> None:
    """Join the others, learn which life this is, and train."""
    import cloudpickle

    folder = Path(made)
    torch.set_num_threads(1)
    dist.init_process_group("gloo", timeout=timedelta(seconds=PATIENCE_S))
    life = [_next_life(folder)] if dist.get_rank() == 0 else [0]
    dist.broadcast_object_list(life, src=0)
    diary = Diary(
        folder,
        {
            "life": life[0],
            "rank": dist.get_rank(),
            "world": dist.get_world_size(),
            "agent": agent,
            "local_rank": int(os.environ["LOCAL_RANK"]),
            "restarts": int(os.environ["TORCHELASTIC_RESTART_COUNT"]),
        },
    )
    diary.write("born")
    settings = pickle.loads((folder / TASK).read_bytes())
    train = cloudpickle.loads(settings["train"])
    wait_at = dict(enumerate(settings["wait_at"])).get(life[0])
    watch = Watch(wait_at, diary, folder / f"{GO}{life[0]}", settings["sample_s"])
    job = Job(Shape(**settings["shape"]), Folder(folder), watch)
    try:
        train(job, settings["every"])
    except Exception as failed:
        diary.write("cut off" if _is_cut_off(failed) else "failure", told=_told(failed))
        raise
    diary.write("end", numbers=job.numbers())
    dist.barrier()
    dist.destroy_process_group()


def _is_cut_off(failed: Exception) -> bool:
    """Whether a collective failed, as it does on all others when a worker dies."""
    return isinstance(failed, RuntimeError) and "gloo" in str(failed)


def _told(failed: Exception) -> str:
    if isinstance(failed, GpueduError):
        return failed.message
    where = learner_line(failed)
    return f"{type(failed).__name__}: {failed}" + (f", {where}" if where else "")


def _next_life(folder: Path) -> int:
    number = len(list(folder.glob("life-*")))
    (folder / f"life-{number}").touch()
    return number


if __name__ == "__main__":
    main(*sys.argv[1:])
