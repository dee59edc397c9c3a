"""Measurements: refused in words without a GPU, percent of the library with one."""

from __future__ import annotations

import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.registers import measures
from gpuedu.exercises.registers.products import BLOCK
from gpuedu.recording.points import Measured
from tests.exercises.stored import stored_answers

make_matmul = stored_answers("register-tile", "right", "writes_by_itself")["make_matmul"]


def test_without_a_gpu_it_says_so(monkeypatch):
    monkeypatch.setattr("gpuedu.backend.has_gpu", lambda: False)
    with pytest.raises(AnswerError, match="no GPU"):
        measures.measure_rungs()


def test_own_kernels_stand_beside_rungs(monkeypatch):
    asked = []

    def planted(rungs, sizes, time_s):
        asked.extend(rung.name for rung in rungs)
        rows = [{"rung": rung.name, "median": 2.0} for rung in rungs]
        return Measured((*rows, {"rung": "cublas", "median": 1.0}))

    monkeypatch.setattr("gpuedu.backend.has_gpu", lambda: True)
    monkeypatch.setattr("gpuedu.recording.matmul.measure_ladder", planted)
    got = measures.measure_own(make_matmul)
    assert "yours, 8 x 8" in asked and "wide-register-tile" in asked
    assert got["yours, 4 x 4"] == 50.0 and got["cublas"] == 100.0


def test_an_own_rung_launches_a_block_for_each_tile():
    launched = {}

    class Kernel:
        def __getitem__(self, shape):
            launched["shape"] = shape
            return lambda *arrays: launched.update(arrays=arrays)

    class Array:
        shape = (130, 65)

    array = Array()
    measures.OwnRung("own", Kernel(), 64).launch(array, array, array)
    assert launched["shape"] == ((2, 3), BLOCK)
    assert launched["arrays"] == (array, array, array)


def test_without_the_library_there_are_no_percents():
    assert measures.percent_of_library([{"rung": "naive", "median": 1.0}]) == {}
