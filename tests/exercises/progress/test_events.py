from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from gpuedu.errors import ProgressStoreError
from gpuedu.exercises.progress.events import (
    Kind,
    checked,
    from_json,
    in_order,
    moment,
    new_event,
    stamp,
    to_json,
)

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def attempt(**changed):
    body = {"points": 1.5, "max_points": 4, "properties": {"no-race": False}, "seconds": 0.25}
    return new_event(Kind.ATTEMPT, "saxpy", NOON, body | changed)


def export_with(**changed) -> str:
    found = json.loads(to_json([attempt()]))
    found["events"][0] |= changed
    return json.dumps(found)


def test_moments_are_written_in_utc_with_one_width():
    east = datetime(2026, 3, 1, 1, 30, tzinfo=timezone(timedelta(hours=2)))
    assert stamp(east) == "2026-02-28T23:30:00.000000+00:00"
    assert moment(stamp(NOON)) == NOON


def test_numpy_scalars_become_plain_numbers():
    event = attempt(points=np.float32(1.5), max_points=np.int64(4), seconds=np.float64(0.25))
    assert [type(event.body[name]) for name in ("points", "max_points", "seconds")] == [float] * 3
    assert from_json(to_json([event])) == [event]


@pytest.mark.parametrize(
    "changed",
    [
        {"points": float("nan")},
        {"points": float("inf")},
        {"points": 10**400},
        {"points": True},
        {"points": None},
        {"properties": {"no-race": 1}},
        {"properties": []},
        {"seconds": "1"},
        {"extra": 1},
    ],
)
def test_a_body_that_cannot_be_kept_is_refused(changed):
    with pytest.raises(ProgressStoreError, match="saxpy"):
        attempt(**changed)


@pytest.mark.parametrize("name", ["", "two words", "a" * 101, "\ud800", "é", None, 3, "a\n"])
def test_names_are_those_of_the_course(name):
    with pytest.raises(ProgressStoreError, match="not a name of the course"):
        new_event(Kind.PREDICTION, name, NOON, {"value": 1.0})


def test_an_export_returns_the_same_events():
    events = [attempt(), new_event(Kind.PREDICTION, "cost", NOON, {"value": "sch\u00f6n \ud800"})]
    assert from_json(to_json(events)) == events
    assert from_json("\ufeff" + to_json(events)) == events
    assert from_json(to_json([])) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not an export"),
        ('{"format": "gpuedu-progress"}', "version None"),
        ('{"format": "gpuedu-progress", "version": 2, "events": []}', "version 2"),
        ('{"format": "gpuedu-progress", "version": 1}', "no list"),
        ('{"format": "gpuedu-progress", "version": 1, "events": [3]}', "entry 0"),
        (export_with(more=1), "entry 0"),
        (export_with(id=7), "the id 7"),
        (export_with(kind="wish"), "known kind"),
        (export_with(kind=["attempt"]), "known kind"),
        (export_with(body=None), "known kind"),
        (export_with(at="yesterday"), "the time 'yesterday'"),
        (export_with(at="2026-03-01T12:00:00.000000"), "the time"),
        (export_with(at="2026-03-01T12:00:00+00:00"), "the time"),
        (export_with(at="9999-12-31T23:59:59.999999+00:00"), "the time"),
        (export_with(at=None), "the time"),
        (to_json([attempt()])[:-5], "not JSON"),
        (to_json([attempt()]).replace("1.5", "1e999"), "inf"),
        (None, "not JSON"),
    ],
)
def test_what_is_not_an_export_is_refused_with_a_remedy(text, fault):
    with pytest.raises(ProgressStoreError, match=fault) as refusal:
        from_json(text)
    assert refusal.value.remedy
    assert "\n" not in str(refusal.value)


def test_order_is_by_time_then_as_given_and_each_id_comes_once():
    late, first, second = (new_event(Kind.HINT, "saxpy", NOON, {"number": n}) for n in (3, 1, 2))
    later = type(late)(late.id, late.kind, late.name, stamp(NOON + timedelta(1)), late.body)
    assert in_order([later, first, second, first]) == [first, second, later]
    assert checked(later) is later
