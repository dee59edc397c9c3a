"""What the progress file survives: kills, neighbors, full disks, folders closed to us."""

from __future__ import annotations

import errno
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

import gpuedu
from gpuedu.exercises.progress import ProgressStore, open_store
from gpuedu.exercises.progress import schema as progress_schema

CHILD = Path(__file__).with_name("progress_child.py")
ROOT = Path(gpuedu.__file__).resolve().parents[1]
NOBODY = 65534


def start(*task: object) -> subprocess.Popen[str]:
    command = [sys.executable, str(CHILD), *map(str, task)]
    pipe = subprocess.PIPE
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment
    )


def finish(child: subprocess.Popen[str]) -> list[str]:
    out, err = child.communicate(timeout=120)
    assert (child.returncode, err) == (0, "")
    return out.splitlines()


def saved_numbers(lines: list[str]) -> set[int]:
    return {int(line.split()[1]) for line in lines if line.startswith("SAVED ")}


def told_in(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("TOLD ")]


def numbers_in(store: ProgressStore, exercise: str) -> list[int]:
    return [int(attempt.seconds) for attempt in store.attempts(exercise)]


def attempt(store: ProgressStore, number: int = 0) -> None:
    store.record_attempt("amdahl", 1.0, 2.0, {}, float(number))


def names_in(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def integrity(path: Path) -> str:
    with closing(sqlite3.connect(path)) as db:
        return db.execute("PRAGMA integrity_check").fetchone()[0]


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def filled(tmp_path) -> ProgressStore:
    store = open_store(tmp_path)
    for number in range(200):
        attempt(store, number)
    return store


def test_the_file_keeps_a_rollback_journal_and_is_marked_as_ours(filled):
    with closing(sqlite3.connect(filled.path)) as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert db.execute("PRAGMA application_id").fetchone()[0] == progress_schema.APPLICATION_ID
        assert db.execute("PRAGMA user_version").fetchone() == (1,)
    assert names_in(filled.path.parent) == ["progress.sqlite3"]


def test_a_file_system_without_links_is_good_enough(tmp_path, told, monkeypatch):
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOTSUP, "links are not supported here")

    monkeypatch.setattr(os, "link", refuse)
    attempt(open_store(tmp_path, tell=told.append), 5)
    assert numbers_in(open_store(tmp_path), "amdahl") == [5]
    assert names_in(tmp_path) == ["progress.sqlite3"]
    assert told == []


def test_whatever_was_told_as_saved_survives_sigkill(tmp_path):
    rng = random.Random(1517)
    saved: set[int] = set()
    for round_number in range(18):
        child = start("write", tmp_path, "amdahl", round_number * 100_000, 100_000)
        with child:
            # Some die while they begin, most while they write.
            first = child.stdout.readline() if round_number % 6 else ""
            time.sleep(rng.uniform(0, 0.06 if first else 0.12))
            child.kill()
            lines = (first + child.stdout.read()).splitlines(keepends=True)
        assert told_in(lines) == []
        saved |= saved_numbers([line for line in lines if line.endswith("\n")])
        assert (
            not (tmp_path / "progress.sqlite3").exists()
            or integrity(tmp_path / "progress.sqlite3") == "ok"
        )
    assert len(saved) >= 15  # Each round that waited for a first line has at least that one.
    told: list[str] = []
    store = open_store(tmp_path, tell=told.append)
    found = numbers_in(store, "amdahl")
    assert saved <= set(found)
    assert len(found) == len(set(found))
    attempt(store, 77_777_777)
    assert (store.waiting, told) == (0, [])
    assert 77_777_777 in numbers_in(open_store(tmp_path), "amdahl")


def test_two_processes_write_at_once_and_no_row_is_lost(tmp_path):
    children = [start("write", tmp_path, f"writer-{i}", 0, 200) for i in range(2)]
    for child in children:
        assert saved_numbers(finish(child)) == set(range(200))
    store = open_store(tmp_path)
    for i in range(2):
        assert numbers_in(store, f"writer-{i}") == list(range(200))


def test_two_processes_never_give_the_same_hint(tmp_path):
    children = [start("hints", tmp_path, "amdahl", 100) for _ in range(2)]
    given = [line for child in children for line in finish(child)]
    assert sorted(given) == sorted(f"HINT {number}" for number in range(1, 201))


def test_a_forked_child_writes_beside_its_parent(tmp_path):
    assert finish(start("fork", tmp_path)) == ["CHILD 0"]
    store = open_store(tmp_path)
    assert numbers_in(store, "parent") == numbers_in(store, "child") == list(range(1, 21))


def test_a_process_that_holds_the_lock_delays_nothing_for_long(filled, told):
    holder = start("hold", filled.path.parent)
    assert holder.stdout.readline() == "HELD\n"
    store = open_store(filled.path.parent, tell=told.append, timeout_s=0.05)
    attempt(store, 1000)
    assert store.waiting == 1
    assert len(told) == 1
    finish(holder)
    assert len(store.attempts("amdahl")) == 201
    attempt(store, 1001)
    assert len(open_store(filled.path.parent).attempts("amdahl")) == 202


def assert_told_of_full_disk(lines: list[str], old: int) -> None:
    (message,) = told_in(lines)
    assert "the disk is full" in message
    assert "in memory" in message
    assert "WAITING 5" in lines
    written = int(next(line for line in lines if line.startswith("WRITTEN")).split()[1])
    assert f"KNOWN {old + written}" in lines


def test_a_file_that_may_not_grow_leaves_the_session_in_memory(filled):
    size = filled.path.stat().st_size
    assert_told_of_full_disk(
        finish(start("fill", filled.path.parent, "amdahl", size + 8192)), old=200
    )
    assert integrity(filled.path) == "ok"
    store = open_store(filled.path.parent)
    assert len(store.attempts("amdahl")) >= 200
    attempt(store, 9999)
    assert store.waiting == 0


def test_a_disk_without_room_for_the_first_byte_is_told(tmp_path):
    assert_told_of_full_disk(finish(start("fill", tmp_path, "amdahl", 1024)), old=0)
    assert names_in(tmp_path) == []


@contextmanager
def mounted(folder: Path, *options: str) -> Iterator[Path]:
    folder.mkdir(exist_ok=True)
    mount = shutil.which("mount")
    done = mount and subprocess.run(
        [mount, *options, str(folder)], capture_output=True, check=False
    )
    if not done or done.returncode:
        pytest.skip("this test mounts a file system, which only root may, and not everywhere")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_full_file_system_keeps_the_old_rows(tmp_path):
    with mounted(tmp_path / "small", "-t", "tmpfs", "-o", "size=128k", "tmpfs") as folder:
        before = open_store(folder)
        for number in range(20):
            attempt(before, number)
        assert_told_of_full_disk(finish(start("fill", folder, "amdahl", 0)), old=20)
        assert integrity(folder / "progress.sqlite3") == "ok"
        assert numbers_in(before, "amdahl")[:20] == list(range(20))


def test_a_session_saves_what_waited_once_there_is_room(tmp_path, told):
    with mounted(tmp_path / "small", "-t", "tmpfs", "-o", "size=64k", "tmpfs") as folder:
        store = open_store(folder, tell=told.append)
        attempt(store, 0)
        ballast = folder / "ballast"
        with pytest.raises(OSError, match="No space left"):
            ballast.write_bytes(bytes(1 << 20))
        for number in range(1, 101):
            attempt(store, number)
        assert store.waiting > 0
        assert len(told) == 1
        ballast.unlink()
        attempt(store, 101)
        assert store.waiting == 0
        assert numbers_in(open_store(folder), "amdahl") == list(range(102))


def test_two_processes_that_meet_damage_keep_one_new_file(tmp_path):
    for trial in range(4):
        folder = tmp_path / str(trial)
        folder.mkdir()
        (folder / "progress.sqlite3").write_bytes(b"garbage" * 1000)
        children = [start("write", folder, f"writer-{i}", 0, 20) for i in range(2)]
        for child in children:
            finish(child)
        store = open_store(folder)
        assert [numbers_in(store, f"writer-{i}") for i in range(2)] == [list(range(20))] * 2


def assert_goes_on_in_memory(store: ProgressStore, told: list[str]) -> None:
    attempt(store, 1)
    attempt(store, 2)
    assert numbers_in(store, "amdahl")[-2:] == [1, 2]
    assert store.waiting == 2
    assert len(told) == 1
    assert "cannot be written" in told[0]
    assert "GPUEDU_HOME" in told[0]
    assert "\n" not in told[0]


@pytest.mark.parametrize("folder", ["taken", "taken/below", "x" * 300])
def test_a_folder_that_cannot_be_made_is_told(tmp_path, told, folder):
    (tmp_path / "taken").write_text("a file where the folder should be")
    assert_goes_on_in_memory(open_store(tmp_path / folder, tell=told.append), told)


def test_a_link_to_nowhere_is_followed_and_filled(tmp_path, told):
    (tmp_path / "progress.sqlite3").symlink_to(tmp_path / "other" / "mine.sqlite3")
    attempt(open_store(tmp_path, tell=told.append))
    assert (tmp_path / "other" / "mine.sqlite3").is_file()
    assert told == []


def test_a_read_only_file_system_still_shows_the_old_rows(filled, told, tmp_path):
    home = tmp_path / "home"
    with mounted(home, "-o", "bind,ro", str(filled.path.parent)):
        store = open_store(home, tell=told.append)
        assert len(store.attempts("amdahl")) == 200
        assert_goes_on_in_memory(store, told)
        assert len(store.attempts("amdahl")) == 202


def test_permissions_bind_a_learner_who_is_not_root():
    """Run as nobody where the tests run as root, whom no permission bit stops."""
    # Not in pytest's own folder, which is closed to others.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        attempt(open_store(folder))
        (folder / "progress.sqlite3").chmod(0o444)
        folder.chmod(0o555)
        user = NOBODY if os.geteuid() == 0 else os.geteuid()
        lines = finish(start("write", folder, "amdahl", 1, 3, user))
        folder.chmod(0o755)
        (message,) = told_in(lines)
        assert "cannot be written" in message
        assert saved_numbers(lines) == set()
        assert numbers_in(open_store(folder), "amdahl") == [0]
