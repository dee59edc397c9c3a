"""The first pictures of the lessons on sharding: fit to print, and what they claim."""

from __future__ import annotations

import logging

import pytest

from gpuedu.figures.style import alt_text
from tests.exercises.parts import pictures_of
from tests.figures.legibility import assert_fit_to_print

PICTURES = pictures_of("sharding")
FIRST = ("sharding/copies", "sharding/floor")


@pytest.mark.parametrize("name", FIRST)
def test_every_picture_is_fit_to_print(name, caplog):
    with caplog.at_level(logging.WARNING):
        assert_fit_to_print(PICTURES[name]())
    assert caplog.messages == []


def test_only_sharded_weights_come_below_the_memory_of_a_gpu():
    told = alt_text(PICTURES["sharding/floor"]())
    assert "+ gradients: 1,120 to 141 GB" in told
    assert "+ weights: 1,120 to 1.09 GB" in told
    assert "H100 SXM: 80 GB" in told
