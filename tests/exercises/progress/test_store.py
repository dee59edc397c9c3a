from __future__ import annotations

import json
import random
import sqlite3
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gpuedu.errors import ProgressStoreError
from gpuedu.exercises.progress import ProgressStore, format_summary, open_store
from gpuedu.exercises.progress import store as progress

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path, told, clock) -> ProgressStore:
    return open_store(tmp_path / "home", tell=told.append, clock=clock, timeout_s=0.05)


def attempt(store: ProgressStore, points: float, exercise: str = "amdahl") -> None:
    store.record_attempt(exercise, points, 4.0, {"is-right": points >= 4}, 0.5)


def numbers(store: ProgressStore) -> tuple[int, int]:
    counts = store.summary().calibration
    return counts.numbers, counts.within_factor_two


def test_attempts_are_there_in_the_next_session(store, told, clock):
    attempt(store, 1)
    clock.now += timedelta(hours=1)
    attempt(store, 4)
    again = open_store(store.path.parent, tell=told.append)
    assert [a.points for a in again.attempts("amdahl")] == [1, 4]
    assert again.attempts("amdahl")[0].properties == {"is-right": False}
    assert again.best("amdahl").at == "2026-03-01T13:00:00.000000+00:00"
    assert again.best("saxpy") is None
    assert again.summary() == store.summary()
    assert told == []


def test_opening_and_reading_leave_no_trace(store):
    assert store.summary().exercises == ()
    assert store.export_json()
    assert not store.path.parent.exists()


def test_the_folder_comes_from_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("GPUEDU_HOME", str(tmp_path / "chosen"))
    assert open_store().path == tmp_path / "chosen" / "progress.sqlite3"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GPUEDU_HOME", "~/mine")
    assert open_store().path == tmp_path / "mine" / "progress.sqlite3"
    monkeypatch.setenv("GPUEDU_HOME", " ")
    monkeypatch.setattr("platformdirs.user_data_dir", lambda *_, **__: str(tmp_path / "data"))
    assert open_store().path == tmp_path / "data" / "progress.sqlite3"


def test_in_memory_nothing_touches_the_disk(monkeypatch, tmp_path, told):
    monkeypatch.setenv("GPUEDU_HOME", str(tmp_path))
    store = open_store(in_memory=True, tell=told.append)
    attempt(store, 3)
    assert store.path is None
    assert [store.next_hint("amdahl", 3) for _ in range(4)] == [1, 2, 3, 3]
    assert store.best("amdahl").points == 3
    assert list(tmp_path.iterdir()) == []
    assert told == []


def test_hints_go_on_in_later_sessions_and_stay_at_the_last(store):
    assert [store.next_hint("amdahl", 3) for _ in range(2)] == [1, 2]
    assert store.next_hint("break-even", 3) == 1
    again = open_store(store.path.parent)
    assert [again.next_hint("amdahl", 3) for _ in range(3)] == [3, 3, 3]
    assert again.next_hint("amdahl", 2) == 2
    before = again.export_json()
    assert again.next_hint("amdahl", 3) == 3
    assert again.export_json() == before
    hints = {entry.exercise: entry.hints for entry in again.summary().exercises}
    assert hints == {"amdahl": 3, "break-even": 1}


def test_the_last_prediction_before_the_first_reveal_counts(store):
    assert store.prediction("cost") is None
    store.record_prediction("cost", 1.0)
    store.record_prediction("cost", 12.0)
    assert numbers(store) == (0, 0)
    store.record_truth("cost", 20.0)
    store.record_prediction("cost", 1000.0)
    store.record_truth("cost", 1000.0)
    assert numbers(store) == (1, 1)
    assert store.prediction("cost") == 12.0
    store.record_prediction("other", 20.0)
    store.record_truth("other", 41.0)
    lines = format_summary(store.summary()).splitlines()
    assert "Predictions: 1 of 2 within a factor of two" in lines


def test_a_clock_that_is_set_back_does_not_reorder_predictions_and_reveals(store, clock):
    store.record_prediction("before", 10.0)
    clock.now -= timedelta(days=3)
    store.record_truth("before", 10.0)
    assert numbers(store) == (1, 1)
    store.record_truth("after", 10.0)
    clock.now -= timedelta(days=3)
    store.record_prediction("after", 10.0)
    assert numbers(store) == (1, 1)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), None, ..., True, [1.0], "x" * 201])
def test_what_cannot_be_kept_is_told_and_the_lesson_goes_on(store, told, value):
    store.record_prediction("cost", value)
    store.record_prediction("cost", value)
    assert len(told) == 1
    assert "'cost'" in told[0]
    store.record_prediction("cost", 3.0)
    assert store.prediction("cost") == 3.0
    assert store.waiting == 0


@pytest.mark.parametrize("name", ["", "two words", "\ud800", None, {"a": 1}])
def test_a_name_that_cannot_be_kept_is_told(store, told, name):
    store.record_prediction(name, 1.0)
    attempt(store, 1, name)
    assert store.next_hint(name, 3) == 1
    assert len(told) == 1
    assert "not a name of the course" in told[0]


def test_an_export_is_merged_and_a_second_time_changes_nothing(store, tmp_path, clock):
    attempt(store, 2)
    store.next_hint("amdahl", 3)
    store.record_prediction("cost", 12.0)
    lost = open_store(tmp_path / "binder", clock=clock)
    clock.now -= timedelta(hours=5)
    attempt(lost, 4)
    lost.record_truth("cost", 12.0)
    lost.record_prediction("cost", 12.0)

    assert store.import_json(lost.export_json()) == 3
    merged = store.export_json()
    assert [a.points for a in store.attempts("amdahl")] == [4, 2]
    # Elsewhere the truth was shown before the prediction here.
    assert numbers(store) == (0, 0)
    assert store.import_json(lost.export_json()) == 0
    assert store.import_json(merged) == 0
    assert store.export_json() == merged
    assert lost.import_json(merged) == 3
    assert lost.summary() == store.summary()


def test_a_bad_import_changes_nothing(store):
    attempt(store, 2)
    before = store.export_json()
    found = json.loads(before)
    good = found["events"][0] | {"id": "fresh"}
    found["events"] = [good, good | {"id": "broken", "body": {"points": "all"}}]
    for text in (json.dumps(found), before[:-20], "", "\x00"):
        with pytest.raises(ProgressStoreError) as refusal:
            store.import_json(text)
        assert refusal.value.remedy
    assert store.export_json() == before


def test_threads_write_through_one_store(store, told):
    def work(exercise: str) -> None:
        for points in range(20):
            attempt(store, points / 5, exercise)
            store.next_hint("shared", 1000)

    threads = [threading.Thread(target=work, args=(f"exercise-{i}",)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts = {e.exercise: e.attempts for e in store.summary().exercises if e.attempts}
    # A thread may lose the race for the lock; then its attempts wait and none is lost.
    assert counts == {f"exercise-{i}": 20 for i in range(4)}
    store.flush()
    assert store.waiting == 0
    assert all("another program" in message or "again" in message for message in told)


def test_random_histories_come_back_the_same_from_disk_and_export(tmp_path, clock):
    rng = random.Random(20260301)
    store = open_store(tmp_path / "a", clock=clock)
    for _ in range(150):
        clock.now += timedelta(minutes=rng.randrange(-30, 60))
        name = rng.choice(["amdahl", "break-even", "cost"])
        rng.choice(
            [
                lambda name=name: attempt(store, rng.randrange(5), name),
                lambda name=name: store.next_hint(name, 3),
                lambda name=name: store.record_prediction(name, rng.uniform(-5, 5)),
                lambda name=name: store.record_truth(name, rng.choice([1.5, "slower", 0])),
            ]
        )()
    copy = open_store(tmp_path / "b", clock=clock)
    copy.import_json(store.export_json())
    assert open_store(tmp_path / "a").summary() == store.summary() == copy.summary()
    assert copy.export_json() == store.export_json()


class LockedOut:
    """Another connection that holds the file until told to let go."""

    def __init__(self, path: Path) -> None:
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.execute("BEGIN EXCLUSIVE")

    def let_go(self) -> None:
        self.db.execute("ROLLBACK")
        self.db.close()


def test_a_locked_file_is_told_once_and_written_at_the_next_chance(store, told):
    attempt(store, 1)
    store.next_hint("amdahl", 3)
    other = LockedOut(store.path)
    attempt(store, 2)
    attempt(store, 3)
    assert store.next_hint("amdahl", 3) == 2
    assert [a.points for a in store.attempts("amdahl")] == [1, 2, 3]
    assert store.waiting == 3
    assert len(told) == 1
    assert "another program is using it" in told[0]
    assert "\n" not in told[0]
    other.let_go()
    attempt(store, 4)
    assert store.waiting == 0
    assert told[1:] == [f"Progress is saved again, in {store.path}"]
    again = open_store(store.path.parent)
    assert [a.points for a in again.attempts("amdahl")] == [1, 2, 3, 4]
    assert again.next_hint("amdahl", 3) == 3


def test_hints_given_during_a_lock_are_not_given_again_after_it(store):
    assert store.next_hint("amdahl", 9) == 1
    other = LockedOut(store.path)
    assert [store.next_hint("amdahl", 9) for _ in range(2)] == [2, 3]
    other.let_go()
    assert store.next_hint("amdahl", 9) == 4
    assert open_store(store.path.parent).next_hint("amdahl", 9) == 5


def test_a_short_lock_is_waited_for(tmp_path, told):
    patient = open_store(tmp_path, tell=told.append, timeout_s=30)
    attempt(patient, 1)
    # Let go from another thread while this one waits inside SQLite.
    db = sqlite3.connect(patient.path, isolation_level=None, check_same_thread=False)
    db.execute("BEGIN EXCLUSIVE")
    timer = threading.Timer(0.2, lambda: db.execute("ROLLBACK"))
    timer.start()
    attempt(patient, 2)
    timer.join()
    db.close()
    assert patient.waiting == 0
    assert told == []


def test_what_still_waits_is_saved_when_the_session_ends(store, told, monkeypatch):
    at_exit = []
    monkeypatch.setattr(progress.atexit, "register", at_exit.append)
    attempt(store, 1)
    other = LockedOut(store.path)
    attempt(store, 2)
    other.let_go()
    (last_chance,) = at_exit
    last_chance()
    assert len(told) == 1
    assert len(open_store(store.path.parent).attempts("amdahl")) == 2
