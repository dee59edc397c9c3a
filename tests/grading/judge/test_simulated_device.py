"""A simulated device that a play hands over is in no process in which a learner's code runs."""

from __future__ import annotations

import pytest

from gpuedu.course.proof import Bench
from tests.grading.test_equal_verdicts import ROOT, graded

DRAFT = """
def pipeline(device, chunks, results, kernel):
    return draft(device, chunks, results, kernel)
"""
REPLACING = {
    "no races": """
from gpuedu.clock.streams import StreamDevice
StreamDevice.races = property(lambda self: ())
""",
    "no detector": """
from gpuedu.clock import races
races.RaceDetector.use = lambda self, *rest: None
""",
}


@pytest.mark.parametrize("name", REPLACING)
def test_races_that_are_not_counted_beside_the_code_are_counted_elsewhere(name, zygote):
    bench = Bench(ROOT, "streams")
    plain = graded(bench, [*bench.stub_cells(), DRAFT], zygote)
    replaced = graded(bench, [*bench.stub_cells(), REPLACING[name] + DRAFT], zygote)
    assert not plain.held()["order"]
    assert [one.fault for one in replaced.results] == [one.fault for one in plain.results]


PEEKING = """
def pipeline(device, chunks, results, kernel):
    import gc, sys
    frame, found = sys._getframe(), []
    while frame is not None:
        found += [one for one in frame.f_locals.values() if type(one).__name__ == "Device"]
        frame = frame.f_back
    found += [one for one in gc.get_objects() if type(one).__name__ in ("Device", "RaceDetector")]
    for one in found:
        vars(getattr(one, "_detector", one))["_compare"] = lambda *rest: None
    return draft(device, chunks, results, kernel)
"""
INSIDE = """
def pipeline(device, chunks, results, kernel):
    for thing in (device, device.default_stream, device.event(), chunks[0], kernel):
        link = type(thing).__del__.__closure__[0].cell_contents
        for name in ("_detector", "clock", "values", "device", "known", "__class__", "__dict__", "run"):
            for ask in (link.get, lambda n, m: link.call(n, m, (), {})):
                try:
                    ask(thing._link_number, name)
                except Exception:
                    continue
                raise SystemExit(name)
            try:
                link.set(thing._link_number, name, None)
            except Exception:
                continue
            raise SystemExit(name)
    return draft(device, chunks, results, kernel)
"""


@pytest.mark.parametrize("cell", (PEEKING, INSIDE))
def test_what_the_device_notes_can_be_neither_found_nor_asked_for(cell, zygote):
    bench = Bench(ROOT, "streams")
    plain = graded(bench, [*bench.stub_cells(), DRAFT], zygote)
    report = graded(bench, [*bench.stub_cells(), cell], zygote)
    assert [one.fault for one in report.results] == [one.fault for one in plain.results]


NEVER_COPIED_IN = """
from collections import namedtuple

Alike = namedtuple("Alike", "name place size_bytes pinned device values")

def pipeline(device, chunks, results, kernel):
    run, down = device.stream("run"), device.stream("down")
    y = [device.buffer(results[0].size_bytes) for _ in range(2)]
    used, saved = [[device.event() for _ in y] for _ in range(2)]
    for i, (chunk, result) in enumerate(zip(chunks, results)):
        k = i % 2
        alike = Alike(chunk.name, "device", 0, True, device, chunk.read())
        run.wait_event(saved[k])
        device.launch(kernel, reads=[alike], writes=[y[k]], stream=run)
        used[k].record(run)
        down.wait_event(used[k])
        device.copy(result, y[k], down)
        saved[k].record(down)
    device.synchronize()
"""


def test_what_has_the_names_of_a_buffer_is_none(zygote):
    bench = Bench(ROOT, "streams")
    report = graded(bench, [*bench.stub_cells(), NEVER_COPIED_IN], zygote)
    assert report.points == 0
    told = " ".join(one.fault.message for one in report.results if one.fault)
    assert "this needs a buffer" in told


ASKS_AND_NAMES = """
from gpuedu.clock import Buffer, Kernel, Stream, StreamDevice, StreamEvent

solution = pipeline

def pipeline(device, chunks, results, kernel):
    assert isinstance(device, StreamDevice) and isinstance(kernel, Kernel)
    assert isinstance(chunks[0], Buffer) and isinstance(device.event(), StreamEvent)
    assert isinstance(device.default_stream, Stream) and not isinstance(kernel, Buffer)
    assert (chunks[0].name, chunks[0].place, chunks[0].pinned) == ("in 0", "host", True)
    assert kernel.time_s > 0 and kernel.name == "kernel" and "in 0" in repr(chunks[0])
    assert device.stream(name="mine").name == "mine" and device.event().query() is True
    assert chunks.index(chunks[-1]) == len(chunks) - 1 and chunks[0] != results[0]
    assert len(chunks[0].read()) and results[0].read() is None
    try:
        {chunks[0]}
    except TypeError:
        solution(device, chunks, results, kernel)
"""


def test_a_pipeline_may_ask_what_a_thing_is_and_how_it_is_called(zygote):
    bench = Bench(ROOT, "streams")
    report = graded(bench, [*bench.solution_cells(), ASKS_AND_NAMES], zygote)
    assert report.state == "solved", report.held()


@pytest.mark.parametrize(
    ("line", "told"),
    (
        ("chunks.pop()", "`pipeline` changed `chunks`, which it was given"),
        ("results.reverse()", "`pipeline` changed `results`, which it was given"),
        ("device.event().record('up')", "made by `device.stream(name)`; got 'up'"),
        ("device.buffer(-5)", "a buffer cannot have -5 bytes"),
        ("device.strem('up')", "has no attribute 'strem', on line 3 of its cell: `device.strem('up')`"),
        ("device.copy(chunks[0])", "on line 3 of its cell: `device.copy(chunks[0])`"),
        ("old.append(device.stream()); device.copy(device.buffer("
         "chunks[0].size_bytes), chunks[0], old[0])", "a Stream of another device was used"),
    ),
)  # fmt: skip
def test_faults_are_told_as_in_a_notebook(line, told, zygote):
    bench = Bench(ROOT, "streams")
    text = f"old = []\ndef pipeline(device, chunks, results, kernel):\n    {line}\n"
    cells = [*bench.solution_cells(), text]
    reports = graded(bench, cells, zygote), bench.try_answers(cells, "own", 7)
    for report in reports:
        faults = [one.fault.message + one.fault.cause for one in report.results if one.fault]
        assert any(told in one for one in faults), faults
