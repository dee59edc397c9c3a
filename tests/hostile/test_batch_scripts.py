"""A batch script that makes up what is seen of its run earns what it does, and nothing else."""

from __future__ import annotations

import pytest

from gpuedu.exercises.examine import examine
from gpuedu.exercises.registry import load
from gpuedu.grading.judge.cells import Cells
from gpuedu.grading.judge.examining import examine_cells
from gpuedu.grading.judge.stage import Stage
from gpuedu.grading.sandbox import PlayingLimits
from tests.hostile import batch_scripts
from tests.hostile.test_answers import SETUP, nothing_survives
from tests.sampled import sampled

__all__ = ["nothing_survives"]

SEED = 7


def checked(script):
    return examine(load("batch-job"), [script], SEED)


def graded_on(stage, script):
    cells = Cells((SETUP, ("answer", f"script = {script!r}")), ("script",))
    return examine_cells(stage, load("batch-job"), cells, SEED)


def graded(zygote, script):
    with Stage(zygote, PlayingLimits()) as stage:
        return graded_on(stage, script)


def lost(report):
    assert report.state in ("solved", "partly", "wrong"), report.refusal
    return {name for name, holds in report.held().items() if not holds}


def test_the_script_that_they_are_made_from_is_right():
    assert checked(batch_scripts.RIGHT).state == "solved"
    assert lost(checked(batch_scripts.AT_ONCE)) == {"saves", "goes-on"}


@pytest.mark.parametrize("name", batch_scripts.FORGERIES)
def test_what_is_made_up_earns_nothing(name):
    script, expected = batch_scripts.FORGERIES[name]
    assert lost(checked(script)) == expected


@pytest.mark.parametrize("name", sampled(batch_scripts.FORGERIES, chosen=["made up"]))
def test_what_is_made_up_earns_nothing_in_a_class(name, zygote):
    script, expected = batch_scripts.FORGERIES[name]
    assert lost(graded(zygote, script)) == expected


def test_a_play_that_is_stopped_believes_no_save(zygote):
    assert lost(graded(zygote, batch_scripts.STOPS)) == {"saves", "goes-on"}


def test_nothing_of_the_play_is_seen_and_whoever_ends_it_earns_nothing(zygote):
    with Stage(zygote, PlayingLimits()) as stage:
        report = graded_on(stage, batch_scripts.ENDS_THE_PLAY)
        assert report.points == 0, report.held()
        assert "ended the process" in report.results[0].fault.message
        assert graded_on(stage, batch_scripts.LOOKS_AROUND).state == "solved"
