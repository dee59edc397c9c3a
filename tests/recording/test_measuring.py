"""What is left out of a series, and why."""

from __future__ import annotations

import warnings

import pytest

from gpuedu.recording.bench import LostDeviceError
from gpuedu.recording.measuring import measure_points
from gpuedu.recording.points import NotHereError, Point, PreparedPoint
from tests.recording.planted import PlantedBench


def point(n, wrong="", group="", **options):
    work = PreparedPoint(lambda: None, lambda: wrong, **options)
    return Point({"n": n}, lambda: work, group=group, units=float(n) ** 3)


def failing(n, fault):
    def prepare():
        raise fault

    return Point({"n": n}, prepare)


def test_rows_have_parameters_median_and_spread_and_are_told():
    said = []
    found = measure_points(
        [point(3, fields={"variant": "a"})], PlantedBench(), "s", 10, said.append
    )
    (row,) = found.rows
    assert row == {
        "n": 3, "variant": "a", "median": pytest.approx(1e-4), "spread": pytest.approx(2e-6)
    }  # fmt: skip
    assert said == ["n 3: 100 µs"]
    assert found.left_out == found.faults == ()


def test_rates_are_bytes_in_a_second():
    found = measure_points([point(3, moved_bytes=1e6)], PlantedBench(1e-3), "B/s", 10)
    assert found.rows[0]["median"] == pytest.approx(1e9)


def test_a_wrong_result_is_reported_and_never_timed():
    bench = PlantedBench()
    found = measure_points([point(1, "element 3 is off"), point(2)], bench, "s", 10)
    assert [row["n"] for row in found.rows] == [2]
    assert found.left_out == found.faults == ("n 1: the result is wrong: element 3 is off",)


@pytest.mark.parametrize(
    "fault",
    [
        MemoryError(),
        type("OutOfMemoryError", (Exception,), {})("Out of memory allocating 9 bytes"),
        RuntimeError("[2] Call to cuMemAlloc results in CUDA_ERROR_OUT_OF_MEMORY"),
    ],
)
def test_a_point_too_large_for_the_memory_is_left_out_and_no_fault(fault):
    bench = PlantedBench()
    found = measure_points([point(1), failing(2, fault), point(3)], bench, "s", 10)
    assert [row["n"] for row in found.rows] == [1, 3]
    assert found.left_out == ("n 2: memory is not enough",)
    assert found.faults == ()
    assert bench.freed


def test_what_a_machine_lacks_is_no_fault():
    found = measure_points([failing(1, NotHereError("there is no Triton"))], PlantedBench(), "s", 9)
    assert found.left_out == ("n 1: there is no Triton",) and found.faults == ()


def test_a_kernel_that_fails_is_a_fault_and_the_next_goes_on():
    found = measure_points(
        [failing(1, TypeError("no\nsuch type")), point(2)], PlantedBench(), "s", 9
    )
    assert found.faults == ("n 1: TypeError: no such type",)
    assert len(found.rows) == 1


def test_a_lost_device_ends_the_series():
    bench = PlantedBench()

    def run():
        bench.lost = True

    broken = Point({"n": 1}, lambda: PreparedPoint(run, lambda: ""))
    with pytest.raises(LostDeviceError, match="n 1: RuntimeError: CUDA_ERROR_ILLEGAL_ADDRESS"):
        measure_points([broken, point(2)], bench, "s", 9)


def test_an_interruption_is_not_swallowed():
    with pytest.raises(KeyboardInterrupt):
        measure_points([failing(1, KeyboardInterrupt())], PlantedBench(), "s", 9)


def test_what_is_there_is_handed_over_where_the_measuring_is_broken_off():
    kept = []
    with pytest.raises(KeyboardInterrupt):
        measure_points(
            [point(1), failing(2, KeyboardInterrupt())], PlantedBench(), "s", 9, rescue=kept.append
        )
    (measured,) = kept
    assert [row["n"] for row in measured.rows] == [1] and not measured.is_complete


def test_numbas_advice_to_launch_more_is_not_for_a_measurement():
    def prepare():
        warnings.warn("Grid size 1 will likely result in GPU under-utilization", stacklevel=1)
        return PreparedPoint(lambda: None, lambda: "")

    found = measure_points([Point({"n": 1}, prepare)], PlantedBench(), "s", 9)
    assert len(found.rows) == 1 and found.faults == ()


def test_the_device_is_kept_busy_before_each_timing():
    class Watched(PlantedBench):
        def wake(self):
            told.append("wake")

        def time_s(self, run, times):
            told.append("time")
            return super().time_s(run, times)

    told = []
    measure_points([point(1), point(2)], Watched(0.5), "s", 9)
    assert told[0] == "wake" and told.count("wake") == 2
    assert told[told.index("wake", 1) + 1] == "time"


def test_a_size_is_skipped_where_the_one_before_foretells_too_much():
    bench = PlantedBench(0.01)
    slow = [point(n, group="slow") for n in (1, 10)]
    # 10 s a run, five of them, and the share is three times a half of about 20 s.
    found = measure_points([*slow, point(2, group="other")], bench, "s", 20)
    assert [row["n"] for row in found.rows] == [1, 2]
    assert found.left_out == ("n 10: a run would take about 10 s: more than its share",)
    assert found.faults == ()


def test_the_same_size_is_measured_where_there_is_time():
    bench = PlantedBench(0.01)
    found = measure_points([point(n, group="slow") for n in (1, 10)], bench, "s", 200)
    assert len(found.rows) == 2


def test_when_the_time_is_up_the_rest_is_left_out():
    found = measure_points([point(n) for n in range(5)], PlantedBench(3.0), "s", 20)
    assert len(found.rows) == 3
    assert found.left_out[0] == "n 3: the time of the series was used up"
    assert len(found.left_out) == 2


def test_a_time_that_cannot_be_is_left_out():
    row = {"dtype": "float32", "m": 4096, "n": 4096, "k": 4096}
    fast = Point(row, lambda: PreparedPoint(lambda: None, lambda: ""))
    found = measure_points([fast], PlantedBench(1e-4, name="NVIDIA H200"), "s", 9)
    assert found.rows == ()
    assert "the time cannot be" in found.faults[0] and "the fp32 peak" in found.faults[0]
