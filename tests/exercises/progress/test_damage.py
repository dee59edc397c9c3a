"""A damaged file, a stranger's, an older and a newer one: nothing in them is lost by us."""

from __future__ import annotations

import os
import random
import socket
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gpuedu.exercises.progress import ProgressStore, open_store
from gpuedu.exercises.progress import file as progress_file
from gpuedu.exercises.progress import schema as progress_schema


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


def damage_with_garbage(path: Path) -> None:
    path.write_bytes(random.Random(3).randbytes(5000))


def damage_with_text(path: Path) -> None:
    path.write_text("my notes on the course\n" * 300)


def damage_by_emptying(path: Path) -> None:
    path.write_bytes(b"")


def damage_with_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "inside").write_text("kept")


def damage_with_foreign_database(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE event (mine TEXT)")


def damage_with_socket(path: Path) -> None:
    path.unlink()
    here = Path.cwd()
    os.chdir(path.parent)  # The name of a socket must be short.
    try:
        with closing(socket.socket(socket.AF_UNIX)) as endpoint:
            endpoint.bind(path.name)
    finally:
        os.chdir(here)


def damage_by_dropping_the_table(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("DROP TABLE event")


@pytest.mark.parametrize(
    "damage",
    [
        damage_with_garbage,
        damage_with_text,
        damage_by_emptying,
        damage_with_folder,
        damage_with_foreign_database,
        damage_with_socket,
        damage_by_dropping_the_table,
    ],
)
@pytest.mark.parametrize("is_open", [False, True])
def test_a_damaged_file_is_kept_aside_and_a_new_one_begun(filled, told, damage, is_open):
    folder = filled.path.parent
    store = open_store(folder, tell=told.append) if is_open else None
    if store:
        attempt(store, 1000)
    damage(filled.path)
    old = os.lstat(filled.path)
    store = store or open_store(folder, tell=told.append)
    attempt(store, 1001)
    assert len(told) == 1
    assert "damaged" in told[0]
    assert "\n" not in told[0]
    aside = folder / "progress.damaged-1.sqlite3"
    assert str(aside) in told[0]
    assert os.lstat(aside).st_ino == old.st_ino
    # What this session wrote itself is written again.
    expected = [1000, 1001] if is_open else [1001]
    assert numbers_in(open_store(folder), "amdahl") == expected
    assert names_in(folder) == ["progress.damaged-1.sqlite3", "progress.sqlite3"]


def test_each_damaged_file_gets_a_name_of_its_own(filled, told):
    folder = filled.path.parent
    for number in (1, 2, 3):
        (folder / "progress.sqlite3").write_bytes(b"%d" % number * 2000)
        attempt(open_store(folder, tell=told.append))
        assert (folder / f"progress.damaged-{number}.sqlite3").read_bytes()[:1] == b"%d" % number
    assert len(told) == 3


def test_a_stale_journal_goes_with_its_damaged_file(filled, told):
    folder = filled.path.parent
    # Beside garbage SQLite removes such a journal itself; beside an empty file nobody has looked.
    filled.path.write_bytes(b"")
    (folder / "progress.sqlite3-journal").write_bytes(b"old journal")
    attempt(open_store(folder, tell=told.append))
    assert (folder / "progress.damaged-1.sqlite3-journal").read_bytes() == b"old journal"
    assert not (folder / "progress.sqlite3-journal").exists()


@pytest.mark.parametrize("share", [0.35, 0.6, 0.95])
def test_what_a_truncated_file_still_holds_is_carried_over(filled, told, share):
    size = filled.path.stat().st_size
    os.truncate(filled.path, int(size * share))
    store = open_store(filled.path.parent, tell=told.append)
    found = numbers_in(store, "amdahl")
    assert found == sorted(set(found))
    assert 0 < len(found) <= 200
    assert told[0].endswith(f"entries carried over: {len(found)}")
    assert integrity(filled.path) == "ok"


def test_a_page_that_was_overwritten_costs_only_its_rows(filled, told):
    with filled.path.open("r+b") as file:
        file.seek(filled.path.stat().st_size // 2)
        file.write(b"\xff" * 4096)
    store = open_store(filled.path.parent, tell=told.append)
    assert len(told) == 1
    found = numbers_in(store, "amdahl")
    assert found == sorted(set(found))
    assert 100 < len(found) <= 200


def test_a_new_file_that_another_process_began_is_not_put_aside(
    tmp_path, filled, told, monkeypatch
):
    """The file was damaged when it was opened; now a good one of another process stands there."""
    good = filled.path.read_bytes()
    filled.path.write_bytes(b"garbage" * 1000)

    def connect_to_what_is_replaced(path, mode, timeout_s):
        db = progress_schema.connect(path, mode, timeout_s)
        if not (tmp_path / "theirs").exists():
            filled.path.rename(tmp_path / "theirs")
            filled.path.write_bytes(good)
        return db

    monkeypatch.setattr(progress_file, "connect", connect_to_what_is_replaced)
    assert numbers_in(open_store(tmp_path, tell=told.append), "amdahl") == list(range(200))
    assert told == []
    assert not (tmp_path / "progress.damaged-1.sqlite3").exists()


def test_a_row_edited_by_hand_does_not_cost_the_others(filled, told):
    with closing(sqlite3.connect(filled.path)) as db, db:
        db.execute("UPDATE event SET body = 'oops' WHERE seq = 3")
        db.execute("UPDATE event SET at = CAST(x'ff00fe' AS TEXT) WHERE seq = 5")
    store = open_store(filled.path.parent, tell=told.append)
    assert numbers_in(store, "amdahl") == [n for n in range(200) if n not in (2, 4)]
    assert told == []


def test_a_newer_schema_is_told_and_left_untouched(filled, told):
    with closing(sqlite3.connect(filled.path)) as db:
        db.execute("PRAGMA user_version = 2")
    before = filled.path.read_bytes()
    store = open_store(filled.path.parent, tell=told.append)
    attempt(store, 1000)
    assert store.next_hint("amdahl", 3) == 1
    assert store.next_hint("amdahl", 3) == 2
    assert numbers_in(store, "amdahl") == [1000]
    assert len(told) == 1
    assert "newer release" in told[0]
    assert filled.path.read_bytes() == before


def test_an_older_schema_is_brought_up_to_date_with_its_rows(filled, told, monkeypatch):
    steps = (*progress_schema.SCHEMA_STEPS, ("ALTER TABLE event ADD COLUMN mood TEXT",))
    for module in (progress_schema, progress_file):
        monkeypatch.setattr(module, "SCHEMA_STEPS", steps)
    store = open_store(filled.path.parent, tell=told.append)
    attempt(store, 200)
    assert numbers_in(store, "amdahl") == list(range(201))
    assert told == []
    with closing(sqlite3.connect(filled.path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (2,)
        assert db.execute("SELECT count(mood), count(*) FROM event").fetchone() == (0, 201)
