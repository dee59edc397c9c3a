import matplotlib
import pytest
from matplotlib.colors import to_rgba

from gpuedu.clock import (
    Interval,
    Kernel,
    Link,
    Loading,
    StreamDevice,
    Timeline,
    VirtualClock,
    simulate_loading,
)
from gpuedu.clock.races import Race, Use
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.lanes import NOTHING, plot_lane_groups, plot_lanes
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

CAPTION = Caption(title="who waits", alt="a timeline", source="simulated", x="simulated time")


def copies_and_kernels(*, ordered: bool, count: int = 4):
    """A run on two streams with two buffers in turn; without order the third copy races."""
    with VirtualClock() as clock:
        link = Link(latency_s=0.0, pinned_bytes_per_s=1e9)
        device = StreamDevice(clock, link=link, launch_s=5e-6)
        copying, computing = device.stream("copying"), device.stream("computing")
        inputs = [device.buffer(200_000, "x") for _ in range(2)]
        used = [device.event() for _ in inputs]
        for step in range(count):
            here = step % 2
            if ordered:
                copying.wait_event(used[here])
            device.copy(inputs[here], device.host_buffer(200_000), copying)
            loaded = device.event()
            loaded.record(copying)
            computing.wait_event(loaded)
            device.launch(Kernel("train", 300e-6), reads=[inputs[here]], stream=computing)
            used[here].record(computing)
        device.synchronize()
    return clock.timeline, device.races


def lanes(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def bars(ax, middle):
    """Start and width of the bars of the row around a height."""
    return [
        (round(p.get_x(), 6), round(p.get_width(), 6))
        for p in ax.patches
        if abs(p.get_y() + p.get_height() / 2 - middle) < 1e-9
    ]


def texts(ax):
    return [text.get_text() for text in ax.texts]


def keys(ax):
    legend = ax.get_legend()
    return [text.get_text() for text in legend.get_texts()] if legend else []


def crosses(ax):
    return [line for line in ax.lines if line.get_marker() == "X"]


def test_a_bar_lies_in_its_lane_at_its_time():
    line = Timeline.of(
        [Interval("disk", "read", 0.0, 2e-3, "0"), Interval("compute", "kernel", 2e-3, 5e-3)]
    )
    ax = plot_lanes(line, caption=CAPTION)
    disk, compute = ax.get_yticks()
    assert lanes(ax) == ["disk", "compute"] and disk > compute
    assert (bars(ax, disk), bars(ax, compute)) == ([(0, 2)], [(2, 3)])
    assert ax.get_xlabel() == "simulated time (ms)"
    assert ax.get_xlim() == (0, pytest.approx(5))


@pytest.mark.parametrize(("end_s", "unit"), [(40e-6, "µs"), (20e-3, "ms"), (3.0, "s")])
def test_the_unit_fits_the_time(end_s, unit):
    ax = plot_lanes(Timeline.of([Interval("main", "work", 0, end_s)]), caption=CAPTION)
    assert ax.get_xlabel() == f"simulated time ({unit})"
    assert ax.get_xlim()[1] < 1000


def test_the_caption_is_written():
    ax = plot_lanes(copies_and_kernels(ordered=True)[0], caption=CAPTION)
    assert ax.get_title(loc="left") == "who waits"
    assert style.alt_text(ax) == "a timeline"
    assert ax.figure.get_supxlabel() == "simulated"


def test_a_run_of_a_device_is_labeled_and_can_be_read():
    ax = plot_lanes(copies_and_kernels(ordered=True)[0], caption=CAPTION)
    assert lanes(ax) == ["host", "copy to device", "compute"]
    assert texts(ax).count("train") == 4
    assert {"batch to x", "batch 2 to x 2"} <= set(texts(ax))
    assert any(text.startswith("waits for") for text in texts(ax))
    assert keys(ax) == ["launch", "copy", "kernel", "waits"]
    assert overlapping_texts(ax) == [] and texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8


def test_names_along_a_lane_are_of_one_form():
    line = [Interval("copy", "copy", 0, 1, "the copy of 'b' to 'x' on s")]
    line += [Interval("copy", "copy", 1, 1.05, "the copy of 'c' to 'x' on s")]
    line += [Interval("copy", "copy", 1.05, 2.0, "the copy of 'd' to 'x' on s")]
    assert texts(plot_lanes(Timeline.of(line), caption=CAPTION)) == ["b", "c", "d"]


def test_waiting_is_pale_and_striped():
    line = Timeline.of([Interval("main", "wait", 0, 1, "batch 3"), Interval("main", "work", 1, 2)])
    waiting, working = plot_lanes(line, caption=CAPTION).patches
    assert waiting.get_hatch() and waiting.get_facecolor() == to_rgba(style.FAINT)
    assert working.get_hatch() is None and working.get_facecolor() == to_rgba(style.SKY)
    assert "waits for batch 3" in texts(plot_lanes(line, caption=CAPTION))


def test_intervals_of_one_lane_that_overlap_lie_above_each_other():
    line = Timeline.of(
        [
            Interval("disk", "read", 0, 2, "0"),
            Interval("disk", "read", 1, 3, "1"),
            Interval("disk", "read", 2, 4, "2"),
        ]
    )
    first, third, second = plot_lanes(line, caption=CAPTION).patches
    assert first.get_y() == third.get_y()
    assert second.get_y() + second.get_height() <= first.get_y()


def test_lanes_are_drawn_in_the_order_that_is_asked_for_and_an_idle_one_is_empty():
    line = Timeline.of([Interval("a", "work", 0, 1), Interval("b", "work", 0, 1)])
    ax = plot_lanes(line, caption=CAPTION, lanes=["idle", "b"])
    assert lanes(ax) == ["idle", "b"] and len(ax.patches) == 1
    assert keys(ax) == []


def test_workers_stand_together():
    loading = Loading(read_s=2e-3, decode_s=10e-3, step_s=4e-3, copy_s=1e-3)
    ax = plot_lanes(simulate_loading(loading, 3, batches=16).timeline, caption=CAPTION)
    assert lanes(ax) == ["worker 0", "worker 1", "worker 2", "main", "compute"]
    assert overlapping_texts(ax) == [] and texts_outside(ax) == []


def test_many_batches_can_be_read():
    loading = Loading(read_s=2e-3, decode_s=10e-3, step_s=4e-3)
    ax = plot_lanes(simulate_loading(loading, 8, batches=64).timeline, caption=CAPTION)
    assert overlapping_texts(ax) == [] and texts_outside(ax) == []


def test_a_race_joins_the_two_operations():
    timeline, races = copies_and_kernels(ordered=False, count=3)
    assert len(races) == 1
    ax = plot_lanes(timeline, caption=CAPTION, races=races)
    (cross,) = crosses(ax)
    kernel, copy = timeline.on("compute")[0], timeline.on("copy to device")[2]
    assert list(cross.get_xdata()) == pytest.approx([kernel.start_s * 1e6, copy.start_s * 1e6])
    heights = dict(zip(lanes(ax), ax.get_yticks(), strict=True))
    assert list(cross.get_ydata()) == [heights["compute"], heights["copy to device"]]
    assert keys(ax)[-1] == "race on x"


def test_without_a_race_nothing_is_marked():
    timeline, races = copies_and_kernels(ordered=True)
    ax = plot_lanes(timeline, caption=CAPTION, races=races)
    assert races == () and crosses(ax) == []


def test_a_race_with_the_host_marks_the_operation_of_the_device():
    with VirtualClock() as clock:
        device = StreamDevice(clock)
        batch = device.host_buffer(1000, "batch", values=[0])
        device.copy(device.buffer(1000, "x"), batch)
        batch.write([1])
        device.synchronize()
    ax = plot_lanes(clock.timeline, caption=CAPTION, races=device.races)
    (cross,) = crosses(ax)
    assert len(cross.get_xdata()) == 1
    assert keys(ax)[-1] == "race on batch"


def test_a_race_that_is_not_on_the_timeline_is_left_out():
    race = Race("x", "read after write", Use("kernel 'a'", "stream 's'", 1), Use("b", "host", 1))
    line = Timeline.of([Interval("compute", "kernel", 0, 1, "kernel 'z' on s")])
    assert crosses(plot_lanes(line, caption=CAPTION, races=[race])) == []


def test_groups_share_the_axis_and_have_their_names():
    groups = [
        (name, copies_and_kernels(ordered=name == "ordered")[0]) for name in ("wild", "ordered")
    ]
    ax = plot_lane_groups(groups, caption=CAPTION)
    assert {"wild", "ordered"} <= set(texts(ax))
    assert lanes(ax) == ["host", "copy to device", "compute"] * 2
    assert ax.get_xlim()[1] == pytest.approx(max(line.end_s for _, line in groups) * 1e6)
    assert overlapping_texts(ax) == [] and texts_outside(ax) == []


def test_the_axis_can_end_elsewhere():
    line = Timeline.of([Interval("main", "work", 0, 1, "a long piece of work")])
    assert plot_lanes(line, caption=CAPTION, end_s=4.0).get_xlim() == (0, 4)
    assert texts_outside(plot_lanes(line, caption=CAPTION, end_s=0.5)) == []


def test_a_kind_that_is_not_known_is_drawn_and_named():
    line = Timeline.of([Interval("main", "dream", 0, 1), Interval("main", "work", 1, 2)])
    ax = plot_lanes(line, caption=CAPTION)
    assert keys(ax) == ["work", "dream"] and len(ax.patches) == 2


@pytest.mark.parametrize("lanes", [None, ["host"], []])
def test_an_empty_timeline_says_so(lanes):
    ax = plot_lanes(Timeline(()), caption=CAPTION, lanes=lanes)
    assert texts(ax) == [NOTHING]
    assert overlapping_texts(ax) == [] and texts_outside(ax) == []


def test_it_draws_into_the_axes_it_is_given():
    ax = style.new_axes(3.0)
    assert plot_lanes(copies_and_kernels(ordered=True)[0], caption=CAPTION, ax=ax) is ax


def test_no_global_setting_is_touched():
    before = dict(matplotlib.rcParams)
    plot_lanes(copies_and_kernels(ordered=True)[0], caption=CAPTION)
    assert dict(matplotlib.rcParams) == before
