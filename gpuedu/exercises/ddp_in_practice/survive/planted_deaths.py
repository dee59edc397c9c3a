"""Deaths of a rank, by SIGKILL: in a step, while it writes, and before what it wrote has its name.

PyTorch's and Python's functions are replaced in the rank's own process, which ends with the run.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch

from gpuedu.exercises.ddp_in_practice.survive.diary import Diary, read_diaries

WAIT_S = 3.0
_open = open


@dataclass(frozen=True)
class Plan:
    """When ranks die: attempt 0 in a step, attempt 1 in a write, attempt 2 at a change of names.

    ``step`` counts from 0, and ``rank`` is who dies in it. The others are numbers of steps done: a
    rank dies with the last write (change of names) of the first checkpoint after so many. How many
    it makes for one is known from the unbroken run: what is spread over several files is then
    apart.
    """

    step: int
    rank: int
    write: int
    naming: int


class Deaths:
    """Watches what a rank writes, and kills it where the plan says so.

    Args:
        plan: when.
        diary: of this rank.
        folder: of all diaries.
    """

    def __init__(self, plan: Plan, diary: Diary, folder: Path) -> None:
        self._plan, self._diary, self._folder = plan, diary, folder
        self._tries: Counter[tuple[str, int]] = Counter()
        self._save, self._fsync = torch.save, os.fsync

    @contextlib.contextmanager
    def planted(self) -> Iterator[None]:
        """Replace, for a while, the functions that write and rename."""
        with contextlib.ExitStack() as stack:

            def replace(home: Any, name: str, make: Callable[..., Any]) -> None:
                stack.enter_context(patch.object(home, name, make(getattr(home, name))))

            replace(torch, "save", lambda _: self._watched_save)
            replace(os, "fsync", lambda _: self._watched_fsync)
            replace(os, "replace", self._renaming)
            replace(os, "rename", self._renaming)
            replace(shutil, "copyfile", self._copying)
            replace(Path, "write_bytes", self._putting)
            replace(Path, "write_text", self._putting)
            yield

    def in_step(self, number: int) -> None:
        """Die in the plan's step."""
        plan, own = self._plan, self._diary
        if own.run == "broken" and (own.attempt, own.rank, number) == (0, plan.rank, plan.step):
            self._die("step")

    # What writes

    def _watched_save(self, obj: Any, f: Any, *more: Any, **named: Any) -> None:
        if isinstance(f, io.BytesIO):  # so PyTorch pickles a tensor that is sent
            if not _is_called_by_torch():
                self._diary.write("memory")
            return self._save(obj, f, *more, **named)
        path = str(getattr(f, "name", f))
        if self._is_due("save", 1, self._plan.write):
            whole = io.BytesIO()
            self._save(obj, whole, *more, **named)
            half = whole.getvalue()[: len(whole.getvalue()) // 2]
            if isinstance(f, (str, os.PathLike)):
                with _open(f, "wb") as file:
                    file.write(half)
            else:
                f.write(half)
                f.flush()
            self._wait_for_rank_0()
            self._die("save")
        self._save(obj, f, *more, **named)
        self._diary.write("save", path=path, file=self._file_of(f))
        return None

    def _watched_fsync(self, fd: Any) -> None:
        self._fsync(fd)
        status = os.fstat(fd if isinstance(fd, int) else fd.fileno())
        self._diary.write("fsync", file=status.st_ino, size=status.st_size)

    def _renaming(self, original: Callable[..., None]) -> Callable[..., None]:
        def rename(src: Any, dst: Any, **named: Any) -> None:
            self._die_at_naming()
            self._diary.write("naming", path=str(dst), source=str(src))
            status = Path(src).stat()
            original(src, dst, **named)
            self._diary.write("name", path=str(dst), file=status.st_ino, size=status.st_size)

        return rename

    def _copying(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def copy(src: Any, dst: Any, **named: Any) -> Any:
            if self._is_due("name", 2, self._plan.naming):
                raw = Path(src).read_bytes()
                with _open(dst, "wb") as file:
                    file.write(raw[: len(raw) // 2])
                self._die_of_naming()
            found = original(src, dst, **named)
            self._diary.write("name", path=str(dst), file=Path(dst).stat().st_ino, size=-1)
            return found

        return copy

    def _putting(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def put(path: Path, data: Any, *more: Any, **named: Any) -> Any:
            if self._is_due("name", 2, self._plan.naming):
                original(path, data[: len(data) // 2], *more, **named)
                self._die_of_naming()
            found = original(path, data, *more, **named)
            self._diary.write("name", path=str(path), file=path.stat().st_ino, size=-1)
            return found

        return put

    # When

    def _is_due(self, kind: str, attempt: int, done: int) -> bool:
        """Whether this is the attempt and the place, and this rank the last of those who do it."""
        own = self._diary
        if own.run != "broken" or own.attempt != attempt or own.step + 1 < done:
            return False
        if own.rank != max(self._who(kind), default=-1):
            return False
        self._tries[kind, own.step] += 1
        return self._tries[kind, own.step] >= self._times(kind)

    def _who(self, kind: str) -> set[int]:
        entries = read_diaries(self._folder)
        return {one["rank"] for one in entries if (one["run"], one["kind"]) == ("unbroken", kind)}

    def _times(self, kind: str) -> int:
        """How often this rank did so for a checkpoint of the unbroken run, at most."""
        entries = read_diaries(self._folder)
        mine = [one for one in entries if (one["run"], one["kind"]) == ("unbroken", kind)]
        counts = Counter(one["step"] for one in mine if one["rank"] == self._diary.rank)
        return max(counts.values(), default=1)

    def _die_at_naming(self) -> None:
        if self._is_due("name", 2, self._plan.naming):
            self._die_of_naming()

    def _die_of_naming(self) -> None:
        self._wait_for_rank_0()
        self._die("name")

    def _wait_for_rank_0(self) -> None:
        """Where rank 0 writes a file, too, it has written it when another rank dies.

        So that the ranks' files are of different steps each time, and not by chance.
        """
        own = self._diary
        kind = "name" if 0 in self._who("name") else "save"
        if own.rank == 0 or 0 not in self._who(kind):
            return
        end_s = time.monotonic() + WAIT_S
        while time.monotonic() < end_s:
            for one in read_diaries(self._folder):
                same = (one["rank"], one["attempt"], one["step"]) == (0, own.attempt, own.step)
                if same and one["run"] == "broken" and one["kind"] == kind:
                    return
            time.sleep(0.01)

    def _die(self, how: str) -> None:
        self._diary.write("death", how=how)
        os.kill(os.getpid(), signal.SIGKILL)

    @staticmethod
    def _file_of(f: Any) -> int:
        if isinstance(f, (str, os.PathLike)):
            return Path(f).stat().st_ino
        return os.fstat(f.fileno()).st_ino if hasattr(f, "fileno") else 0


def _is_called_by_torch() -> bool:
    """Whether PyTorch's own code called who asks, two frames above."""
    return sys._getframe(2).f_globals.get("__name__", "").partition(".")[0] == "torch"
