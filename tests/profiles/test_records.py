"""What a profile says: gaps, busy time, costs, kernels per step, the exported trace."""

from __future__ import annotations

import gzip
import json

import pytest

from gpuedu.errors import UnknownNameError
from gpuedu.profiles import Profile, ProfileError, Span, StepSpan, load_profile
from tests.profiles.planted import write_trace

US = 1e-6


@pytest.fixture
def gpu(tmp_path):
    return load_profile(write_trace(tmp_path / "trace.json"))


def on_cpu(*operators, end=10.0):
    """A profile of one step with operators (name, start, time, depth, own time) on the host."""
    spans = tuple(Span(name, "host", *rest) for name, *rest in operators)
    return Profile("cpu", (StepSpan(1, 0.0, end),), spans, (), ())


def in_us(gaps):
    return [(round(gap.start_s / US, 3), round(gap.time_s / US, 3)) for gap in gaps]


def test_lanes_name_the_host_the_device_its_streams_and_copies(gpu):
    assert gpu.lanes == ("host", "host thread 2", "device", "stream 7", "stream 20", "copies")
    assert on_cpu(("aten::add", 0.0, 1.0)).lanes == ("host",)


def test_the_profiled_time_ends_with_the_last_kernel(gpu):
    assert gpu.end_s == pytest.approx(230 * US)


def test_gaps_of_the_device_are_those_of_all_its_streams(gpu):
    assert in_us(gpu.gaps("device")) == [(0, 20), (50, 10), (80, 50), (160, 39)]
    assert gpu.busy_s("device") == pytest.approx(111 * US)
    assert gpu.idle_share("device") == pytest.approx(119 / 230)


def test_gaps_of_one_stream_and_of_the_copies(gpu):
    assert in_us(gpu.gaps("stream 20")) == [(0, 65), (80, 150)]
    assert in_us(gpu.gaps("copies")) == [(0, 8), (20, 145), (167, 3), (171, 59)]


def test_gaps_of_the_host_are_those_outside_of_all_operators(gpu):
    assert in_us(gpu.gaps("host")) == [(0, 2), (12, 2), (34, 78), (132, 18), (195, 35)]


@pytest.mark.parametrize("lane", ["host", "host thread 2", "device", "stream 20", "copies"])
def test_busy_and_gaps_make_up_the_whole(gpu, lane):
    idle_s = sum(gap.time_s for gap in gpu.gaps(lane))
    assert gpu.busy_s(lane) + idle_s == pytest.approx(gpu.end_s)


def test_a_lane_that_is_always_busy_has_no_gap():
    busy = on_cpu(("a", 0.0, 4.0), ("b", 4.0, 6.0))
    assert busy.gaps("host") == ()
    assert busy.idle_share("host") == 0.0


def test_an_unknown_lane_is_said(gpu):
    with pytest.raises(UnknownNameError, match=r"no lane 'stream 8'.*stream 20"):
        gpu.busy_s("stream 8")


def test_costs_on_a_gpu_are_kernels_by_the_operator_that_launched_them(gpu):
    rows = gpu.costs()
    assert [(row.name, row.calls, round(row.self_s / US)) for row in rows] == [
        ("aten::addmm", 2, 60),
        ("nameless", 1, 31),
        ("aten::add", 2, 25),
    ]
    assert rows[0].share == pytest.approx(60 / 230)
    assert gpu.costs(1) == rows[:1]


def test_costs_of_the_host_are_operators_own_times(gpu):
    top = gpu.costs(2, lane="host")
    assert [(row.name, row.calls, round(row.self_s / US)) for row in top] == [
        ("aten::_local_scalar_dense", 1, 43),
        ("aten::addmm", 2, 35),
    ]


def test_own_times_add_up_to_the_busy_time(gpu):
    own_s = sum(row.self_s for row in gpu.costs(100, lane="host"))
    assert own_s == pytest.approx(gpu.busy_s("host") + gpu.busy_s("host thread 2"))


def test_costs_of_a_device_that_is_not_there_are_refused():
    with pytest.raises(UnknownNameError, match="costs"):
        on_cpu(("aten::add", 0.0, 1.0)).costs(lane="device")


def test_rows_of_equal_cost_are_in_the_order_of_their_names():
    even = on_cpu(("b", 0.0, 1.0, 0, 1.0), ("a", 1.0, 1.0, 0, 1.0))
    assert [row.name for row in even.costs()] == ["a", "b"]


def test_kernels_per_step(gpu):
    assert gpu.kernels_per_step == 2.5
    twice = on_cpu(("aten::mm", 0.0, 1.0), ("aten::view", 2.0, 1.0), ("aten::add", 4.0, 1.0))
    assert twice.kernels_per_step == 2


def test_the_timeline_answers_questions_about_overlap(gpu):
    line = gpu.timeline
    assert line.busy_s("stream 7") == pytest.approx(gpu.busy_s("stream 7"))
    assert line.overlap_s("stream 7", "stream 20") == pytest.approx(5 * US)
    assert line.overlap_s("copies", "stream 7") == pytest.approx(0)
    assert {one.kind for one in line.intervals} == {"work", "kernel", "copy"}
    assert all("Backward0" not in one.label or ":" in one.label for one in line.intervals)


def test_the_exported_trace_is_the_file_again(gpu, tmp_path):
    first = json.loads((tmp_path / "trace.json").read_text())
    assert json.loads(gpu.export(tmp_path / "out.json").read_text()) == first
    packed = gpu.export(str(tmp_path / "out.json.gz"))
    assert json.loads(gzip.decompress(packed.read_bytes())) == first
    assert load_profile(packed) == gpu


def test_a_trace_that_cannot_be_written_is_said(gpu, tmp_path):
    with pytest.raises(ProfileError, match=r"cannot be written to .*no-folder"):
        gpu.export(tmp_path / "no-folder" / "out.json")
