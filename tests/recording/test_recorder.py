"""Runs of the whole: interrupted, resumed, out of time, with faults."""

from __future__ import annotations

import json

import pytest

from gpuedu.recording.bench import LostDeviceError
from gpuedu.recording.points import Point, PreparedPoint, Series
from gpuedu.recording.recorder import Recorder
from tests.recording.planted import TINY, VERSIONS, PlantedBench, Said


class Planned:
    """Series of three points each, which note when they are run."""

    def __init__(self, *names, weights=None, disturb=None):
        self.ran = []
        self.disturb = disturb or {}
        weights = weights or [1.0] * len(names)
        self.series = tuple(
            Series(name, f"{'ab'[i % 2]}.json", "s", "a test", self._points(name), weight)
            for i, (name, weight) in enumerate(zip(names, weights, strict=True))
        )

    def _points(self, name):
        def work(n):
            self.ran.append((name, n))
            fault = self.disturb.get((name, n))
            if isinstance(fault, BaseException):
                raise fault
            return PreparedPoint(lambda: None, lambda: fault or "")

        return lambda bench, sizes: [Point({"n": n}, lambda n=n: work(n)) for n in range(3)]


def recorder(tmp_path, bench=None, time_s=100.0):
    return Recorder(bench or PlantedBench(), tmp_path, Said(), time_s, TINY)


def files(tmp_path):
    return {
        path.name: [
            (s["name"], [row["n"] for row in s["rows"]])
            for s in json.loads(path.read_text())["series"]
        ]
        for path in sorted((tmp_path / "planted-gpu").iterdir())
    }


ALL = [0, 1, 2]


def test_each_series_goes_to_its_file(tmp_path):
    plan = Planned("one", "two", "three")
    run = recorder(tmp_path)
    run.measure(plan.series)
    assert run.done == ["one", "two", "three"] and run.waiting == run.skipped == run.faults == []
    assert files(tmp_path) == {"a.json": [("one", ALL), ("three", ALL)], "b.json": [("two", ALL)]}


def test_killed_in_the_third_and_resumed_nothing_is_lost_or_done_twice(tmp_path):
    names = ("one", "two", "three", "four")
    plan = Planned(*names, disturb={("three", 1): KeyboardInterrupt()})
    first = recorder(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        first.measure(plan.series)
    assert first.done == ["one", "two"] and first.waiting == ["three", "four"]
    assert files(tmp_path) == {"a.json": [("one", ALL), ("three", [0])], "b.json": [("two", ALL)]}
    again = Planned(*names)
    second = recorder(tmp_path)
    second.measure(again.series)
    assert second.skipped == ["one", "two"] and second.done == ["three", "four"]
    assert [name for name, _ in again.ran] == ["three"] * 3 + ["four"] * 3
    assert files(tmp_path) == {
        "a.json": [("one", ALL), ("three", ALL)], "b.json": [("two", ALL), ("four", ALL)]
    }  # fmt: skip
    third = recorder(tmp_path)
    third.measure(Planned(*names).series)
    assert third.done == [] and len(third.skipped) == 4


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), LostDeviceError("gone")])
def test_a_series_that_is_broken_off_leaves_what_it_has(tmp_path, fault):
    run = recorder(tmp_path)
    with pytest.raises(type(fault)):
        run.measure(Planned("one", disturb={("one", 2): fault}).series)
    assert files(tmp_path) == {"a.json": [("one", [0, 1])]}
    assert run.done == [] and run.waiting == ["one"]
    (written,) = json.loads((tmp_path / "planted-gpu" / "a.json").read_text())["series"]
    assert written["complete"] is False


def test_a_whole_series_stays_where_a_fresh_one_is_broken_off(tmp_path):
    recorder(tmp_path).measure(Planned("one").series)
    with pytest.raises(KeyboardInterrupt):
        recorder(tmp_path).measure(
            Planned("one", disturb={("one", 1): KeyboardInterrupt()}).series, fresh=True
        )
    assert files(tmp_path) == {"a.json": [("one", ALL)]}


def test_fresh_and_other_versions_measure_anew(tmp_path):
    recorder(tmp_path).measure(Planned("one").series)
    run = recorder(tmp_path)
    run.measure(Planned("one").series, fresh=True)
    assert run.done == ["one"]
    other = recorder(tmp_path, PlantedBench(versions={**VERSIONS, "driver": "590.0"}))
    other.measure(Planned("one").series)
    assert other.done == ["one"]


def test_a_wrong_row_is_left_out_and_measured_again_next_time(tmp_path):
    run = recorder(tmp_path)
    run.measure(Planned("one", disturb={("one", 1): "element 7 is off"}).series)
    assert run.faults == ["one: n 1: the result is wrong: element 7 is off"]
    assert files(tmp_path) == {"a.json": [("one", [0, 2])]}
    mended = recorder(tmp_path)
    mended.measure(Planned("one").series)
    assert mended.done == ["one"] and files(tmp_path) == {"a.json": [("one", ALL)]}


def test_memory_that_is_not_enough_leaves_out_a_row_and_is_told(tmp_path):
    run = recorder(tmp_path)
    run.measure(Planned("one", disturb={("one", 2): MemoryError()}).series)
    assert run.faults == []
    assert files(tmp_path) == {"a.json": [("one", [0, 1])]}
    assert "left out: n 2: memory is not enough" in run.progress.lines
    again = recorder(tmp_path)
    again.measure(Planned("one").series)
    assert again.skipped == ["one"]


def test_when_the_time_is_up_the_rest_waits(tmp_path):
    run = recorder(tmp_path, PlantedBench(4.0), time_s=30)
    run.measure(Planned("one", "two", "three", "four").series)
    assert run.done == ["one", "two", "three"] and run.waiting == ["four"]
    assert run.left_s == 0
    # A point that was begun is finished, and no other is begun.
    assert run.spent_s < 30 + 4 * 4.1


def test_a_series_that_was_cut_is_measured_again_when_there_is_time(tmp_path):
    recorder(tmp_path, PlantedBench(4.0), time_s=8).measure(Planned("one").series)
    assert files(tmp_path) == {"a.json": [("one", [0])]}
    again = recorder(tmp_path)
    again.measure(Planned("one").series)
    assert again.done == ["one"] and files(tmp_path) == {"a.json": [("one", ALL)]}


def test_a_series_has_its_share_and_leaves_what_it_does_not_need(tmp_path):
    run = recorder(tmp_path, time_s=100)
    run.measure(Planned("one", "two", "three", weights=[1, 2, 1]).series)
    told = [line.split() for line in run.progress.lines if line.startswith("begin")]
    first, second, third = (float(words[3]) for words in told)
    assert first == 25 and 60 < second < 66.7 and third > 90


def test_a_series_without_a_row_is_not_written(tmp_path):
    run = recorder(tmp_path)
    run.measure(Planned("one", disturb={("one", n): MemoryError() for n in ALL}).series)
    assert run.done == [] and not (tmp_path / "planted-gpu").exists()
    assert "one: no row came out, so nothing is written" in run.progress.lines
