"""After each test nothing of its launches may be left."""

from __future__ import annotations

import pytest

from tests.multi.launch.leftovers import look_around


@pytest.fixture(autouse=True)
def nothing_is_left():
    before = look_around()
    yield
    assert look_around() == before
