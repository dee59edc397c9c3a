"""What holds for every exercise of every lesson, by the syllabus."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.exercises.registry import load
from gpuedu.syllabus import ready_lessons

EXERCISES = {name: entry.slug for entry in ready_lessons() for name in entry.exercises}


@pytest.mark.parametrize("exercise", EXERCISES)
def test_it_has_both_halves_in_its_lesson(exercise):
    loaded = load(exercise)
    assert loaded.lesson == EXERCISES[exercise]
    assert loaded.play.answers and loaded.judge.properties


@pytest.mark.parametrize("exercise", EXERCISES)
def test_every_case_decides_known_properties_and_every_property_is_decided(exercise):
    judge = load(exercise).judge
    names = {prop.name for prop in judge.properties}
    for seed in range(3):
        drawn = judge.cases(np.random.default_rng(seed))
        assert {name for case in drawn for name in case.decides or names} == names
