"""A hand-written GPU trace: what is read from each event, and what is left out."""

from __future__ import annotations

import gzip

import pytest

from gpuedu.profiles import ProfileError, load_profile
from tests.profiles.planted import (
    ADD,
    BACKWARD,
    D2H,
    GEMM,
    H2D,
    events,
    kernel,
    launch,
    on_device,
    on_host,
    trace,
    write_trace,
)

US = 1e-6


@pytest.fixture
def gpu(tmp_path):
    return load_profile(write_trace(tmp_path / "trace.json"))


def load(tmp_path, rows):
    return load_profile(write_trace(tmp_path / "some.json", trace(rows)))


def times(spans):
    """Start and duration in microseconds, to the nanosecond."""
    return [(round(one.start_s / US, 3), round(one.time_s / US, 3)) for one in spans]


def test_steps_are_what_the_marks_say(gpu):
    assert [one.number for one in gpu.steps] == [4, 5]
    assert times(gpu.steps) == [(0, 100), (110, 90)]


def test_the_device_is_named(gpu):
    assert gpu.device == "NVIDIA L4"
    assert gpu.is_on_gpu


def test_kernels_by_stream_with_the_operator_that_launched_each(gpu):
    assert [(one.name, one.lane, one.stream, one.operator) for one in gpu.kernels] == [
        (GEMM, "stream 7", 7, "aten::addmm"),
        (ADD, "stream 7", 7, "aten::add"),
        (ADD, "stream 20", 20, "aten::add"),
        (GEMM, "stream 7", 7, "aten::addmm"),
        ("nameless", "stream 7", 7, ""),
    ]
    assert times(gpu.kernels) == [(20, 30), (60, 10), (65, 15), (130, 30), (199, 31)]


def test_copies_and_fills_with_their_bytes(gpu):
    assert [(one.name, one.stream, one.size_bytes, one.operator) for one in gpu.copies] == [
        (H2D, 20, 4096, "aten::copy_"),
        (D2H, 7, 4, "aten::_local_scalar_dense"),
        ("Memset (Device)", 7, 64, ""),
    ]
    assert {one.lane for one in gpu.copies} == {"copies"}


def test_operators_by_thread_with_depth_and_own_time(gpu):
    told = [(one.name, one.lane, one.depth, round(one.self_s / US, 3)) for one in gpu.operators]
    assert told == [
        ("aten::to", "host", 0, 2),
        ("aten::copy_", "host", 1, 8),
        ("aten::linear", "host", 0, 2),
        ("aten::t", "host", 1, 3),
        ("aten::addmm", "host", 1, 15),
        ("aten::addmm", "host", 0, 20),
        ("aten::item", "host", 0, 2),
        ("aten::_local_scalar_dense", "host", 1, 43),
        ("autograd::engine::evaluate_function: AddBackward0", "host thread 2", 0, 2),
        ("AddBackward0", "host thread 2", 1, 2),
        ("aten::add", "host thread 2", 2, 16),
    ]


def test_named_ranges_are_apart_from_operators(gpu):
    assert [one.name for one in gpu.ranges] == ["Optimizer.step#SGD.step"]


def test_a_compressed_file_reads_the_same(gpu, tmp_path):
    assert load_profile(write_trace(tmp_path / "trace.json.gz")) == gpu
    # The name does not decide, the bytes do.
    misnamed = write_trace(tmp_path / "trace.json.gz")
    assert load_profile(misnamed.rename(tmp_path / "trace.txt")) == gpu


def test_the_order_of_the_file_does_not_matter(gpu, tmp_path):
    assert load(tmp_path, events()[::-1]) == gpu


def test_a_bare_list_of_events_is_a_trace_too(gpu, tmp_path):
    path = write_trace(tmp_path / "list.json", events())
    found = load_profile(path)
    assert found.device == "GPU"
    assert found.kernels == gpu.kernels


def test_starts_with_more_digits_than_a_float_has_are_exact(tmp_path):
    # Three operators 1 ns apart, at a time that a float tells to 250 ns.
    rows = [
        '{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, '
        f'"ts": 1790857026123456.{at}, "dur": 0.001}}'
        for at in ("789", "790", "791")
    ]
    path = tmp_path / "far.json"
    path.write_text('{"traceEvents": [' + ",".join(rows) + "]}")
    found = load_profile(path)
    assert times(found.operators) == [(0, 0.001), (0.001, 0.001), (0.002, 0.001)]
    assert found.gaps("host") == ()


def test_a_link_by_time_wins_over_a_number_that_means_something_else(tmp_path):
    # Old traces write the correlation as `External id`, which may be an operator's by chance.
    rows = [
        on_host("cpu_op", "aten::mm", 0.0, 10.0, External_id=1),
        launch(2.0, 99),
        on_host("cpu_op", "aten::relu", 20.0, 10.0, External_id=99),
        kernel("gemm", 5.0, 4.0, correlation=99, **{"External id": 99}),
    ]
    assert load(tmp_path, rows).kernels[0].operator == "aten::mm"


def test_a_launch_between_operators_is_nobodys(tmp_path):
    rows = [
        on_host("cpu_op", "aten::mm", 0.0, 10.0, External_id=1),
        launch(12.0, 5),
        on_host("cpu_op", "aten::relu", 20.0, 10.0, External_id=2),
        kernel("mine", 13.0, 4.0, correlation=5),
    ]
    assert load(tmp_path, rows).kernels[0].operator == ""


def test_a_launch_after_an_inner_operator_is_the_outer_ones(tmp_path):
    rows = [
        on_host("cpu_op", "aten::sum", 0.0, 20.0),
        on_host("cpu_op", "aten::empty", 2.0, 4.0),
        on_host("cpu_op", "aten::as_strided", 7.0, 1.0),
        launch(10.0, 5),
        kernel("reduce", 13.0, 4.0, correlation=5),
    ]
    assert load(tmp_path, rows).kernels[0].operator == "aten::sum"


def test_several_gpus_have_lanes_of_their_own(tmp_path):
    rows = [
        on_host("user_annotation", "ProfilerStep#1", 0.0, 100.0),
        kernel("a", 1.0, 2.0, correlation=1),
        on_device("kernel", "b", 4.0, 2.0, stream=7, correlation=2, device=1),
    ]
    found = load(tmp_path, rows)
    assert [one.lane for one in found.kernels] == ["GPU 0 stream 7", "GPU 1 stream 7"]
    assert found.device == "NVIDIA L4, GPU"


def test_without_marks_the_trace_is_one_step(tmp_path):
    rows = [
        on_host("cpu_op", "aten::mm", 10.0, 10.0, BACKWARD),
        launch(12.0, 5, thread=BACKWARD),
        kernel("gemm", 15.0, 40.0, correlation=5),
    ]
    found = load(tmp_path, rows)
    assert times(found.steps) == [(0, 45)]
    assert [one.lane for one in found.operators] == ["host"]
    assert found.kernels_per_step == 1


def test_kernels_alone_are_a_trace(tmp_path):
    found = load(tmp_path, [kernel("gemm", 15.0, 40.0, correlation=5)])
    assert times(found.kernels) == [(0, 40)]
    assert found.lanes == ("host", "device", "stream 7", "copies")


def test_marks_alone_are_a_trace_of_nothing_but_python(tmp_path):
    found = load(tmp_path, [on_host("user_annotation", "ProfilerStep#1", 0.0, 100.0)])
    assert (found.device, found.lanes, found.kernels_per_step) == ("cpu", ("host",), 0)
    assert found.idle_share("host") == 1.0


@pytest.mark.parametrize(
    "text",
    ["", "no json", "[1, 2", "{}", "3", '"x"', '{"traceEvents": {}}', "\x00\xff", "[" * 100_000],
)
def test_a_file_that_is_no_trace_is_said(tmp_path, text):
    path = tmp_path / "some.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ProfileError, match=r"some\.json is not a trace.* Try: "):
        load_profile(path)


@pytest.mark.parametrize(
    "spoilt",
    [{"ts": None}, {"ts": "soon"}, {"dur": None}, {"dur": [1]}, {"ts": float("nan")}],
)
def test_an_event_that_cannot_be_read_is_named(tmp_path, spoilt):
    rows = [*events()[:3], {**events()[3], **spoilt}]
    with pytest.raises(ProfileError, match="event 3 has no usable name"):
        load(tmp_path, rows)


def test_an_event_without_a_name_is_named(tmp_path):
    row = dict(events()[3])
    del row["name"]
    with pytest.raises(ProfileError, match="event 0 has no usable name"):
        load(tmp_path, [row])


def test_events_with_odd_arguments_are_read(tmp_path):
    rows = [{**on_host("cpu_op", "aten::mm", 0.0, 1.0), "args": args} for args in (None, [], 3)]
    assert len(load(tmp_path, rows).operators) == 3


def test_a_compressed_file_that_was_cut_short_is_said(tmp_path):
    path = write_trace(tmp_path / "cut.json.gz")
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ProfileError, match="is not a trace"):
        load_profile(path)


def test_a_compressed_file_with_a_broken_middle_is_said(tmp_path):
    path = write_trace(tmp_path / "broken.json.gz")
    found = bytearray(path.read_bytes())
    found[40:60] = bytes(20)
    path.write_bytes(bytes(found))
    with pytest.raises(ProfileError, match="is not a trace"):
        load_profile(path)


def test_a_trace_in_which_nothing_ran_is_said(tmp_path):
    with pytest.raises(ProfileError, match="nothing ran in"):
        load(tmp_path, [row for row in events() if row["ph"] != "X"])


def test_a_file_that_is_not_there_or_a_folder_is_said(tmp_path):
    with pytest.raises(ProfileError, match="cannot be read: No such file"):
        load_profile(tmp_path / "none.json")
    with pytest.raises(ProfileError, match="cannot be read"):
        load_profile(tmp_path)


def test_an_empty_compressed_file_is_said(tmp_path):
    path = tmp_path / "empty.json.gz"
    path.write_bytes(gzip.compress(b""))
    with pytest.raises(ProfileError, match="is not a trace"):
        load_profile(path)
