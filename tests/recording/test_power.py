"""The series on power: what a row says, and what is left out."""

from __future__ import annotations

import pytest

from gpuedu.errors import CatalogError
from gpuedu.hardware.plausibility import require_plausible
from gpuedu.recording.bench import PowerReading
from gpuedu.recording.measuring import measure_points
from gpuedu.recording.points import NotHereError, PreparedPoint
from gpuedu.recording.power import COPY, IDLE, MATMUL, Load, keep_up, summary
from gpuedu.recording.series import find_series
from tests.recording.planted import TINY, PlantedBench


def measured(name, bench, time_s=600):
    (series,) = find_series([name])
    return measure_points(series.points(bench, TINY), bench, series.unit, time_s)


def test_a_row_has_power_clock_rate_and_joules():
    rows = {row["load"]: row for row in measured("power", PlantedBench(1e-3)).rows}
    assert set(rows) == {IDLE, MATMUL, COPY}
    for row in rows.values():
        assert (row["median"], row["power_w"], row["spread"]) == (500.0, 500.0, 0.0)
        assert (row["clock_mhz"], row["temperature_c"]) == (1500.0, 60.0)
        assert row["readings"] >= 1
    assert "rate" not in rows[IDLE] and "joules_per_unit" not in rows[IDLE]
    n, size = TINY.matmul[-1], TINY.copy_bytes[-1]
    assert rows[MATMUL]["rate"] == pytest.approx(2 * n**3 / 1e-3, rel=0.03)
    assert rows[COPY]["rate"] == pytest.approx(2 * size / 1e-3, rel=0.03)
    assert (rows[MATMUL]["rate_unit"], rows[COPY]["rate_unit"]) == ("FLOP/s", "B/s")
    for load in (MATMUL, COPY):
        joules = 500 / rows[load]["rate"]
        assert rows[load]["joules_per_unit"] == pytest.approx(joules)


def test_each_load_is_kept_up_for_its_time():
    bench = PlantedBench(1e-3)
    start_s = bench.now_s()
    measured("power", bench)
    times = TINY.power
    least_s = times.rest_s + 2 * times.settle_s + 3 * times.window_s
    assert least_s <= bench.now_s() - start_s < 1.3 * least_s


def test_power_is_read_in_the_window_only():
    """What is read while a load settles would count the second before it."""
    bench = PlantedBench(1e-3)
    opened, begun = [], []
    plain = bench.power_meter

    class Meter:
        def __enter__(self):
            self.meter = plain()
            read = self.meter.__enter__()
            opened.append(bench.now_s())
            return lambda: begun.append(bench.now_s()) or read()

        def __exit__(self, *fault):
            self.meter.__exit__(*fault)

    bench.power_meter = Meter
    (series,) = find_series(["power"])
    for point in series.points(bench, TINY):
        begun.clear()
        point.prepare()
        assert begun[0] - opened[-1] >= TINY.power.settle_s


def test_a_rate_is_what_was_done_in_the_time_that_passed():
    bench = PlantedBench(0.02)
    load = Load(PreparedPoint(lambda: None, lambda: ""), 10.0, "B/s")
    assert keep_up(bench, load, 3.0) == pytest.approx(500, rel=0.03)
    assert keep_up(bench, Load(), 3.0) == 0.0


def test_mean_power_counts_and_what_is_not_told_is_left_out():
    readings = [PowerReading(100.0), PowerReading(100.0, 900.0), PowerReading(400.0, 1100.0)]
    load = Load(PreparedPoint(lambda: None, lambda: ""), 10.0, "B/s")
    assert summary(readings, load, 50.0) == {
        "power_w": 200.0, "readings": 3, "clock_mhz": 1000.0,
        "rate": 50.0, "rate_unit": "B/s", "joules_per_unit": 4.0,
    }  # fmt: skip


def test_caps_are_shares_of_the_default_and_the_first_rows_have_none():
    bench = PlantedBench(1e-3)
    rows = measured("power-caps", bench).rows
    found = [(row["cap_share"], row["load"], row.get("cap_w"), row["power_w"]) for row in rows]
    assert found == [
        (1.0, MATMUL, None, 500.0), (1.0, COPY, None, 500.0),
        (0.8, MATMUL, 400.0, 400.0), (0.8, COPY, 400.0, 400.0),
        (0.6, MATMUL, 300.0, 300.0), (0.6, COPY, 300.0, 300.0),
    ]  # fmt: skip
    assert bench.limit_w == bench.default_limit_w


def refuse(*given):
    raise NotHereError("not permitted")


def test_caps_that_are_not_permitted_are_left_out_and_no_fault():
    bench = PlantedBench(1e-3)
    bench.power_cap = refuse
    found = measured("power-caps", bench)
    assert [row["cap_share"] for row in found.rows] == [1.0, 1.0]
    assert len(found.left_out) == 4 and found.faults == ()
    assert found.left_out[0] == "load matmul, cap_share 0.8: not permitted"


def test_without_a_meter_everything_is_left_out_and_nothing_is_a_fault():
    bench = PlantedBench()
    bench.power_meter = refuse
    found = measured("power", bench)
    assert found.rows == () and found.faults == () and len(found.left_out) == 3


def test_without_pytorch_the_matmul_is_left_out():
    bench = PlantedBench()
    bench.torch = None
    found = measured("power", bench)
    assert [row["load"] for row in found.rows] == [IDLE, COPY] and found.faults == ()


def test_a_load_that_would_pass_the_time_is_not_begun():
    bench = PlantedBench(1e-3)
    times = TINY.power
    time_s = times.rest_s + times.window_s + 0.9 * (times.settle_s + times.window_s)
    found = measured("power", bench, time_s)
    assert [row["load"] for row in found.rows] == [IDLE] and found.is_cut
    assert bench.now_s() - 100 < time_s


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"dtype": "bfloat16", "rate_unit": "FLOP/s"}, "the bf16 peak"),
        ({"from": "device memory", "rate_unit": "B/s"}, "the bandwidth"),
    ],
)
def test_a_rate_above_the_peak_is_refused(row, said):
    series = {"device": "NVIDIA H100 80GB HBM3", "name": "power", "unit": "W"}
    row = {**row, "median": 600.0, "spread": 0.0}
    require_plausible({**series, "rows": [{**row, "rate": 1e12}]}, "here")
    with pytest.raises(CatalogError, match=said):
        require_plausible({**series, "rows": [{**row, "rate": 1e16}]}, "here")
