"""Every series runs on gpuedu's own machine: results are computed there and checked."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.errors import UnknownNameError
from gpuedu.hardware.record_form import require_form
from gpuedu.recording import kernels
from gpuedu.recording.atomics import places
from gpuedu.recording.lessons import softmax_of
from gpuedu.recording.measuring import measure_points
from gpuedu.recording.series import all_series, find_series
from gpuedu.recording.sizes import sizes_for
from gpuedu.recording.writer import as_series
from tests.recording.planted import TINY, PlantedBench
from tests.sampled import only_whole

TRAINS = frozenset({"precision-losses"})
"""Series whose points are whole trainings."""

# The ladder's rungs have tests of their own.
SMALL = tuple(series for series in all_series() if series.name != "matmul-ladder")


def measured(name, bench=None, sizes=TINY):
    (series,) = find_series([name])
    bench = bench or PlantedBench()
    return measure_points(series.points(bench, sizes), bench, series.unit, 600)


@pytest.mark.parametrize(
    "series",
    [
        pytest.param(one, id=one.name, marks=only_whole if one.name in TRAINS else ())
        for one in SMALL
    ],
)
def test_every_point_comes_out_right_on_the_machine(series):
    bench = PlantedBench()
    found = measure_points(series.points(bench, TINY), bench, series.unit, 600)
    # To fail is what training with every number in fp16 is there for.
    lost = [text for text in found.left_out if "pure fp16" in text]
    assert found.left_out == tuple(lost)
    assert len(found.rows) + len(lost) == len(series.points(bench, TINY))
    assert all(row["median"] > 0 and row["spread"] >= 0 for row in found.rows)
    require_form(as_series(series, found, bench), "here")
    parameters = [
        tuple(v for k, v in row.items() if k not in ("median", "spread")) for row in found.rows
    ]
    assert len(set(parameters)) == len(parameters)


def test_a_work_can_be_run_again_and_again():
    bench = PlantedBench(repeats=True, seconds=0.2)
    (series,) = find_series(["host-device-copies"])
    assert not measure_points(series.points(bench, TINY), bench, "s", 600).left_out


def test_there_are_at_most_eight_files_and_no_name_twice():
    names = [series.name for series in all_series()]
    assert len(set(names)) == len(names)
    assert {s.file for s in all_series()} == {
        "matmul.json", "memory.json", "launches.json", "kernels.json", "training.json",
        "decoding.json", "power.json",
    }  # fmt: skip


def test_an_unknown_series_gives_the_nearest():
    with pytest.raises(UnknownNameError, match="matmul-lader"):
        find_series(["matmul-lader"])


def test_the_figure_of_lesson_why_gpus_finds_its_rows():
    rows = measured("break-even").rows
    assert [row["n"] for row in rows] == list(TINY.elements)
    full = sizes_for(80 * 2**30).elements
    assert full[0] == 1000 and full[-1] == 10_000_000 and len(full) == 21
    # One dot for each n: the figure joins no others in.
    assert len(set(full)) == len(full)


def test_without_pytorch_its_rows_are_left_out_and_nothing_else():
    bench = PlantedBench()
    bench.torch = None
    found = measured("launch-latency", bench)
    assert {row["library"] for row in found.rows} == {"Numba", "CuPy RawKernel"}
    assert len(found.left_out) == 2 and found.faults == ()


def test_rates_count_bytes_read_and_written():
    bench = PlantedBench(1e-3)
    by_size = {row["size_bytes"]: row["median"] for row in measured("copy-by-size", bench).rows}
    assert by_size[4096] == pytest.approx(2 * 4096 / 1e-3)
    rows = measured("copy-by-stride", PlantedBench(1e-3)).rows
    assert {row["stride"]: row["median"] for row in rows} == {
        stride: pytest.approx(2 * 4096 / stride / 1e-3) for stride in TINY.strides
    }


def test_where_the_bytes_come_from_is_said():
    bench = PlantedBench()
    sizes = sizes_for(80 * 2**30)
    (series,) = find_series(["copy-by-stride"])
    places_of = {p.row["stride"]: p.row["from"] for p in series.points(bench, sizes)}
    assert set(places_of.values()) == {"device memory"}
    bench.l2_bytes = 60 * 2**20
    places_of = {p.row["stride"]: p.row["from"] for p in series.points(bench, sizes)}
    assert places_of == dict.fromkeys((1, 2, 4, 8, 16), "device memory") | {32: "both"}


def test_shared_memory_holds_no_more_addresses_than_it_has():
    rows = measured("atomics").rows
    assert {row["addresses"] for row in rows if row["memory"] == "shared"} == {1, 8}
    assert {row["addresses"] for row in rows if row["memory"] == "global"} == {1, 8, 2048}


@pytest.mark.parametrize("addresses", [1, 8, 64, 1024, 65536])
def test_updates_are_scattered_over_all_addresses(addresses):
    counts = np.bincount(places(2**20, addresses), None, addresses)
    mean = 2**20 / addresses
    assert counts.size == addresses
    assert abs(counts - mean).max() <= 8 * np.sqrt(mean)


@pytest.mark.parametrize(
    ("name", "kernel"),
    [
        ("coalescing", "copy_striped"),
        ("layouts", "speed_squared_of_rows"),
        ("transposes", "transpose_tiled"),
        ("block-sums", "sum_shuffled"),
    ],
)
def test_a_kernel_that_writes_nothing_is_found(monkeypatch, name, kernel):
    def wrong(source, out):
        pass

    monkeypatch.setattr(kernels, kernel, wrong)
    found = measured(name)
    assert len(found.faults) == 1 and "the result is wrong" in found.faults[0]


def test_the_reference_softmax_adds_up():
    x = 20 * np.random.default_rng(3).random((5, 7), np.float32)
    np.testing.assert_allclose(softmax_of(x).sum(axis=1), 1)
