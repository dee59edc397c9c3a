"""The picture of hybrid-shard: what full sharding would send, and weights that are wrong."""

from __future__ import annotations

import pytest

from gpuedu.figures import style
from tests.exercises.parts import pictures_of
from tests.exercises.stored import solution_answers, stored_answers
from tests.figures.legibility import overlapping_texts, texts_outside

ID = "hybrid-shard"


@pytest.mark.parametrize("name", ["solution", "node_only"])
def test_wrong_weights_stand_out(name):
    is_right = name == "solution"
    answers = solution_answers(ID) if is_right else stored_answers(ID, "wrong", name)
    axes = pictures_of("sharding")[ID](*answers.values())
    assert overlapping_texts(axes) == texts_outside(axes) == []
    said = [one for one in axes.texts if one.get_text().startswith("its weights")]
    assert {one.get_color() for one in said} == {style.INK if is_right else style.RED}
    assert len(said) == 8
    assert axes.get_title(loc="left").endswith("sends 1.41 KiB" if is_right else "sends 0 B")
    told = " ".join(one.get_text() for one in [*axes.texts, *axes.figure.texts])
    assert "With full sharding, the busiest card would send 14.8 KiB" in told
