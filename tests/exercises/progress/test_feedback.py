"""What a learner may send: what is in it, what never is, and that what comes back is bounded."""

from __future__ import annotations

import contextlib
import getpass
import json
import socket
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuedu.errors import GpueduError
from gpuedu.exercises.progress import open_store
from gpuedu.exercises.progress.feedback import (
    MOST_LOST,
    MOST_NAME,
    MOST_TEXT,
    Feedback,
    Tried,
    collect,
    from_json,
    require_ours,
    to_json,
)
from tests.test_cli import gpuedu


class Clock:
    now = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(clock):
    made = open_store(in_memory=True, clock=clock)
    for minute, held in ((0, {"a": False, "b": False}), (9.5, {"a": False, "b": True})):
        clock.now = Clock.now + timedelta(minutes=minute)
        made.record_attempt("amdahl", 0, 2, held, 1.0)
    made.record_attempt("blocks", 3, 3, {"guard": True}, 1.0)
    made.record_attempt("left-the-course", 3, 3, {"x": False}, 1.0)
    made.next_hint("amdahl", 3)
    made.next_hint("amdahl", 3)
    made.next_hint("bandwidth", 3)
    made.record_prediction("bandwidth", 12.0)
    return made


def test_it_has_counts_by_exercise_in_the_order_of_the_course(store):
    found = collect(store, {})
    assert found.exercises == (
        Tried("bandwidth", 0, 1, False, 0, {}),
        Tried("amdahl", 2, 2, False, 10, {"a": 2, "b": 1}),
        Tried("blocks", 1, 0, True, 0, {}),
    )


def test_the_properties_that_were_lost_most_are_named_and_no_others(clock):
    made = open_store(in_memory=True, clock=clock)
    for last in "abcde":
        flags = {name: name > last for name in "abcde"} | {"/home/ann": False}
        made.record_attempt("amdahl", 0, 2, flags, 1.0)
    (tried,) = collect(made, {}).exercises
    assert tried.lost == {"a": 5, "b": 4, "c": 3}
    assert len(tried.lost) == MOST_LOST


def test_remarks_are_cut_and_empty_ones_left_out(store):
    found = collect(store, {"unclear": " ", "helped": "x" * 2 * MOST_TEXT}, " Ann ")
    assert (found.remarks, found.name) == ({"helped": "x" * MOST_TEXT}, "Ann")


def test_there_is_a_name_only_where_one_was_given(store):
    assert "name" not in json.loads(to_json(collect(store, {})))
    assert json.loads(to_json(collect(store, {}, "Ann")))["name"] == "Ann"


def test_what_is_written_is_read_again(store):
    found = collect(store, {"wrong": "Zoë: the\nbarrier"}, "Ann")
    assert from_json(to_json(found)) == found


GOOD = {
    "format": "gpuedu-feedback",
    "version": 1,
    "exercises": [
        {
            "exercise": "amdahl",
            "checks": 2,
            "hints": 0,
            "solved": True,
            "minutes": 1,
            "lost": {"a": 1},
        }
    ],
    "remarks": {},
}


def changed(**row):
    return {**GOOD, "exercises": [{**GOOD["exercises"][0], **row}]}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "no file of"),
        ({**GOOD, "format": "gpuedu-progress"}, "no file of"),
        ({**GOOD, "version": 2}, "version"),
        ({**GOOD, "exercises": {}}, "its parts"),
        ({**GOOD, "exercises": GOOD["exercises"] * 2}, "twice"),
        ({**GOOD, "exercises": GOOD["exercises"] * 1000}, "number of exercises"),
        ({**GOOD, "exercises": [1]}, "an exercise cannot"),
        ({**GOOD, "remarks": {"unclear": 3}}, "a text"),
        ({**GOOD, "name": ["Ann"]}, "a text"),
        (changed(exercise="<b>"), "an exercise's id"),
        (changed(checks=-1), "checks"),
        (changed(checks=True), "checks"),
        (changed(hints=10**9), "hints"),
        (changed(minutes=1.5), "minutes"),
        (changed(solved=1), "solved"),
        (changed(lost={"a b": 1}), "a property lost"),
        (changed(lost=dict.fromkeys("abcd", 1)), "the properties lost"),
        (json.dumps(changed(checks=0)).replace("0", "NaN"), "not JSON"),
        (json.dumps(changed(checks=0)).replace("0", "1" + "0" * 5000), "not JSON"),
    ],
)
def test_what_is_not_as_it_is_written_is_refused(content, said):
    text = content if isinstance(content, str) else json.dumps(content)
    with pytest.raises(GpueduError, match=said):
        from_json(text)


def test_long_texts_are_cut_and_unknown_exercises_left_out():
    found = from_json(
        json.dumps(
            {
                **changed(exercise="not-in-the-course"),
                "remarks": {"unclear": "y" * 5000, "other": "?"},
                "name": "z" * 500,
            }
        )
    )
    assert found.exercises == ()
    assert found.remarks == {"unclear": "y" * MOST_TEXT}
    assert found.name == "z" * MOST_NAME


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(st.sampled_from([*GOOD, *GOOD["exercises"][0], "name"]), inner)
        ),
    )
)
def test_whatever_json_it_is_it_is_read_or_refused(value):
    content = {**GOOD, **value} if isinstance(value, dict) else value
    with contextlib.suppress(GpueduError):
        assert isinstance(from_json(json.dumps(content)), Feedback)


def test_a_file_that_is_something_else_is_not_written_over(tmp_path, store):
    path = tmp_path / "feedback.json"
    require_ours(path)
    path.write_text(to_json(collect(store, {})), "utf-8")
    require_ours(path)
    path.write_text("{}")
    for other in (path, tmp_path):
        with pytest.raises(GpueduError, match="is something else already"):
            require_ours(other)


def test_the_command_shows_all_of_it_before_it_writes(root, tmp_path):
    import gpuedu as course

    course.check("first-check", lambda n, itemsize: n * itemsize)
    out = tmp_path / "feedback.json"
    shown = gpuedu(root, "feedback", cwd=tmp_path)
    assert shown.returncode == 0 and not list(tmp_path.glob("*.json")), shown.stderr
    done = gpuedu(root, "feedback", "--out", str(out), "--unclear", "Why?")
    assert done.returncode == 0, done.stderr
    content = out.read_text("utf-8")
    assert content in done.stdout
    assert json.loads(content)["remarks"] == {"unclear": "Why?"}
    assert "itemsize" not in content.replace("any-itemsize", "")
    for private in (getpass.getuser(), socket.gethostname(), str(Path.home()), str(tmp_path)):
        assert f'"{private}' not in content and f"/{private}" not in content
    (tmp_path / "mine.txt").write_text("mine")
    refused = gpuedu(root, "feedback", "--out", str(tmp_path / "mine.txt"))
    assert refused.returncode == 1 and (tmp_path / "mine.txt").read_text() == "mine"
