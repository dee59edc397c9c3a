"""A verdict's file that is not whole is named, whatever is wrong with it."""

from __future__ import annotations

import json
import os

import pytest

from gpuedu.errors import GpueduError
from gpuedu.grading.verdict import (
    FORMAT,
    GradingTask,
    State,
    Verdict,
    read_verdicts,
    write_verdict,
)

WHOLE_VERDICT = {
    **dict.fromkeys(("learner", "lesson", "variant", "seed", "digest", "course"), "x"),
    **{"format": FORMAT, "state": "graded", "points": 1.0, "repairs": [], "answers": {}},
    "exercises": [{"id": "x", "points": 1, "max_points": 1, "state": "solved", "properties": []}],
}
SPOILED = {
    "exercises": [None, {"a": 1}, ["a"], [{}]],
    "learner": [["ann"], None],
    "points": ["1", float("nan"), True],
    "regraded": [None, [{}]],
    "state": ["kept"],
}


def test_verdicts_with_odd_parts_are_named(tmp_path):
    path = tmp_path / "x.verdict.json"
    path.write_text(json.dumps(WHOLE_VERDICT))
    assert len(read_verdicts(tmp_path)) == 1
    for part, values in SPOILED.items():
        for value in values:
            path.write_text(json.dumps(WHOLE_VERDICT | {part: value}))
            with pytest.raises(GpueduError, match="is not a verdict"):
                read_verdicts(tmp_path)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(GpueduError, match="is not a verdict"):
        read_verdicts(tmp_path)


def test_a_verdict_is_its_owners_alone(tmp_path):
    """It has what learners' feedback leaves out."""
    verdict = Verdict(GradingTask("ann", "00_welcome", "", 7), State.GRADED)
    path = write_verdict(tmp_path, "x.verdict.json", verdict)
    assert path.stat().st_mode & 0o777 == 0o600
