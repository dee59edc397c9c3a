"""Scripts that are watched in this process, on a clock that only sleeping moves."""

from __future__ import annotations

import time
import warnings

import pytest
import torch

from gpuedu.profiling.findings import find
from gpuedu.profiling.running import watch_script
from tests.profiling.scripts import Clock, write


@pytest.fixture(autouse=True)
def _one_thread():
    """On a busy machine two threads that wait for each other are far slower than one."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def watch(tmp_path, monkeypatch):
    """Watch a script's text; the stand-in's warnings of a missing GPU are none of the test's."""

    def watch(text, *arguments, **options):
        clock = Clock()
        monkeypatch.setattr(time, "sleep", clock.sleep)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return watch_script(write(tmp_path, text), arguments, now=clock, **options)

    return watch


@pytest.fixture
def findings(watch):
    """The findings of a script's text, as (kind, text of the first line)."""

    def findings(text, **options):
        return [
            (one.kind, one.places[0][0].text if one.places else "")
            for one in find(watch(text, steps=12, warmup=2, **options))
        ]

    return findings
