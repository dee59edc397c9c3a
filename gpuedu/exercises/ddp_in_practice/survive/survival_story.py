"""What diaries of a survival say: who trained which step in which attempt, and what was written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuedu.exercises.ddp_in_practice.survive.diary import Entry


@dataclass(frozen=True)
class Story:
    """The entries of all ranks, in the order of their times; questions about them."""

    entries: Sequence[Entry]

    def of(self, run: str, kind: str, **wanted: object) -> list[Entry]:
        """Entries of a run and a kind; ``attempt`` and ``rank`` where they are given."""
        return [
            one
            for one in self.entries
            if (one["run"], one["kind"]) == (run, kind)
            and all(one[name] == value for name, value in wanted.items())
        ]

    def steps(self, run: str, rank: int, attempt: int = 0) -> list[int]:
        """The numbers of the steps that a rank began, in their order."""
        return [one["step"] for one in self.of(run, "step", rank=rank, attempt=attempt)]

    def first(self, attempt: int, rank: int) -> Entry | None:
        """With what a rank began its first step of an attempt of the broken run."""
        return next(iter(self.of("broken", "step", rank=rank, attempt=attempt)), None)

    def unbroken(self, rank: int, step: int) -> Entry | None:
        """With what a rank began a step of the unbroken run."""
        found = self.of("unbroken", "step", rank=rank)
        return next((one for one in found if one["step"] == step), None)

    def death(self, attempt: int) -> Entry | None:
        """Who died in an attempt."""
        return next(iter(self.of("broken", "death", attempt=attempt)), None)

    def checkpoints(self, run: str, attempt: int = 0) -> list[int]:
        """Behind how many steps of the run something was saved whole, in order."""
        return sorted({one["step"] + 1 for one in self.of(run, "save", attempt=attempt)})

    def last_checkpoint(self, before: int) -> int | None:
        """Behind how many steps the last one is that is whole when attempt ``before`` begins.

        One in the step of a death is not: not every rank's part of it was there, or had its name.
        """
        for attempt in reversed(range(before)):
            death = self.death(attempt)
            fatal = death["step"] + 1 if death and death["how"] != "step" else -1
            found = [at for at in self.checkpoints("broken", attempt) if at != fatal]
            if found:
                return found[-1]
        return None

    def writers_of_one_file(self) -> str:
        """Which ranks of the unbroken run wrote one file in one step; "" where none did."""
        writers: dict[tuple[int, str], set[int]] = {}
        for one in self.of("unbroken", "save"):
            writers.setdefault((one["step"], one["path"]), set()).add(one["rank"])
        for (step, path), ranks in writers.items():
            if len(ranks) > 1:
                told = " and ".join(f"rank {rank}" for rank in sorted(ranks))
                return f"after {step + 1} steps, {told} wrote one file, {Path(path).name}"
        return ""

    def left_alone(self, attempt: int) -> str:
        """Who had returned from `train_job` while another rank trained on; "" where nobody had."""
        found = [one for one in self.entries if one["attempt"] == attempt]
        if not found:
            return ""
        last = [one for one in found if one["run"] == found[-1]["run"]]
        ended = {one["rank"] for one in last if one["kind"] == "end"}
        steps = {one["rank"]: one["step"] for one in last if one["kind"] == "step"}
        others = [rank for rank in steps if rank not in ended]
        if not (ended and others):
            return ""
        told = f"rank {min(ended)} had returned from `train_job`, and rank {others[0]} was in step "
        how = {"again": "a complete run, started again: "}.get(last[0]["run"], "")
        return f"{how}{told}{steps[others[0]] + 1}"

    def files_of_a_checkpoint(self) -> int:
        """How many files a rank of the unbroken run saved for one checkpoint, at most."""
        saves = Counter((one["step"], one["rank"]) for one in self.of("unbroken", "save"))
        return max(saves.values(), default=0)

    def weights_of_checkpoint(self, before: int) -> str | None:
        """The weights that were in it: a rank that saved begins its next step with them."""
        at = self.last_checkpoint(before)
        for attempt in reversed(range(before)):
            for one in self.of("broken", "step", attempt=attempt):
                saved = self.of("broken", "save", attempt=attempt, rank=one["rank"])
                if any(save["step"] + 1 == at and save["at"] <= one["at"] for save in saved):
                    return one["weights"]
        return None


def is_half_a_file(failure: str) -> bool:
    """Whether a start behind a death in a write failed where it read what was written."""
    return "torch.load(" in failure and "FileNotFoundError" not in failure
