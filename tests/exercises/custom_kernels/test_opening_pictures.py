"""What lessons on custom kernels and on inference open with: computed, and legible."""

from __future__ import annotations

import pytest

from gpuedu.exercises.registry import load_picture
from gpuedu.figures.style import alt_text
from tests.figures.legibility import overlapping_texts, texts_outside

TOLD = {
    "custom-kernels/gelu-at-best": ("eight operations 2.1 ms", "one kernel 0.24 ms"),
    "custom-kernels/scores-grow": ("An H100 has 80 GB", "from 0.067 to 70,369 GB"),
    "inference/read-and-write": ("read 1,000 tokens 0.02 s", "write 1,000 tokens 4.8 s"),
    "inference/one-token": ("16 bits 4.8 ms for 16 GB", "arithmetic 0.016 ms"),
}


@pytest.mark.parametrize(("name", "told"), TOLD.items())
def test_it_tells_what_it_shows_and_can_be_read(name, told):
    ax = load_picture(name)()
    assert all(one in alt_text(ax) for one in told)
    assert not overlapping_texts(ax)
    assert not texts_outside(ax)
