"""The ladder's points, on the machine; and times of a learner's own kernel."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from gpuedu.ladder import rung, rungs
from gpuedu.recording import measure_ladder
from gpuedu.recording.gpu import NoGpuError
from gpuedu.recording.matmul import SERIES
from gpuedu.recording.sizes import sizes_for
from tests.recording.planted import PlantedBench


@dataclass
class Own:
    """What a learner hands in: arrays of ``cuda.to_device``, a launch."""

    name: str = "own"
    language: str = "Numba"
    wrong: float = 0.0
    launches: list = field(default_factory=list)

    def launch(self, a, b, c):
        self.launches.append(a.shape)
        exact = a.copy_to_host().astype(np.float64) @ b.copy_to_host().astype(np.float64)
        c.copy_to_device(np.ascontiguousarray(exact + self.wrong, np.float32))


def test_rows_are_those_of_the_record():
    chosen = [rung("naive"), rung("c-tiled")]
    found = measure_ladder(chosen, (33,), bench=PlantedBench(), time_s=60, bfloat16=True)
    rows = {(row["rung"], row["dtype"]): row for row in found.rows}
    assert set(rows) == {
        ("naive", "float32"), ("c-tiled", "float32"), ("cublas", "float32"), ("cublas", "bfloat16")
    }  # fmt: skip
    row = rows["c-tiled", "float32"]
    assert {k: row[k] for k in ("language", "m", "n", "k")} == {
        "language": "CUDA C", "m": 33, "n": 33, "k": 33
    }  # fmt: skip
    assert row["median"] > 0 and row["spread"] >= 0
    assert found.faults == ()
    assert found.left_out in ((), tuple(t for t in found.left_out if "Triton" in t))


def test_a_learners_own_kernel_goes_along():
    own = Own()
    found = measure_ladder([own], (8, 16), bench=PlantedBench(), time_s=60)
    assert [(row["rung"], row["n"]) for row in found.rows] == [
        ("own", 8), ("cublas", 8), ("own", 16), ("cublas", 16)
    ]  # fmt: skip
    assert set(own.launches) == {(8, 8), (16, 16)}


def test_a_wrong_one_is_told_and_not_timed():
    found = measure_ladder([Own(wrong=0.01)], (64,), bench=PlantedBench(), library=False)
    assert found.rows == ()
    assert "rung own" in found.faults[0] and "the result is wrong: element" in found.faults[0]


def test_what_writes_nothing_is_wrong():
    class Idle(Own):
        def launch(self, a, b, c):
            pass

    found = measure_ladder([Idle()], (8,), bench=PlantedBench(), library=False)
    assert "is nan" in found.faults[0]


def test_a_slow_rung_is_skipped_at_the_size_where_it_would_take_too_long():
    def seconds(run):
        return 0.05 * (own.launches[-1][0] / 8) ** 3

    own = Own()
    bench = PlantedBench(seconds)
    found = measure_ladder([own], (8, 16, 32, 64), bench=bench, time_s=30, library=False)
    assert [row["n"] for row in found.rows] == [8, 16, 32]
    assert "a run would take about 25" in found.left_out[0]
    assert bench.now_s() - 100 < 40


def test_the_fastest_blocking_is_chosen_for_large_products(monkeypatch):
    class Variant(Own):
        @property
        def variant(self):
            return self.name

    class Varied(Variant):
        @property
        def variants(self):
            return (self, slow, refused, fast)

    class Refused(Variant):
        def launch(self, a, b, c):
            raise RuntimeError("too many resources requested for launch")

    monkeypatch.setattr("gpuedu.recording.matmul._TRIED_FROM", 16)
    own, slow, refused, fast = Varied("w"), Variant("slow"), Refused("refused"), Variant("fast")
    last = []
    for entry in (own, slow, fast):
        entry.launches = type(
            "Told", (list,), {"append": lambda self, x, e=entry: last.append(e)}
        )()
    bench = PlantedBench(lambda run: {"w": 2e-3, "slow": 3e-3, "fast": 1e-3}[last[-1].name])
    found = measure_ladder([own], (8, 16, 24), bench=bench, library=False)
    # The clock asks what ran last: where nothing is run again, that is the last one tried.
    assert {row["rung"] for row in found.rows} == {"w"}
    assert [row["variant"] for row in found.rows] == ["w", "fast", "fast"]


def test_what_another_blocking_wrote_does_not_stand_in_for_the_chosen_one(monkeypatch):
    class Varied(Own):
        variant = "right"

        @property
        def variants(self):
            return (self, Idle())

    class Idle(Own):
        variant = "idle"

        def launch(self, a, b, c):
            times.append(1e-6)

    monkeypatch.setattr("gpuedu.recording.matmul._TRIED_FROM", 8)
    times = [1e-3]
    bench = PlantedBench(lambda run: times[-1])
    found = measure_ladder([Varied()], (8,), bench=bench, library=False)
    assert found.rows == () and "is nan" in found.faults[0]


def test_trying_blockings_ends_when_its_share_of_the_time_is_spent(monkeypatch):
    class Varied(Own):
        variant = "first"

        @property
        def variants(self):
            return (self, later)

    monkeypatch.setattr("gpuedu.recording.matmul._TRIED_FROM", 8)
    later = Own()
    measure_ladder([Varied()], (8,), bench=PlantedBench(0.01), time_s=0.2, library=False)
    assert later.launches == []


def test_the_series_has_every_rung_at_every_size():
    (series,) = SERIES
    points = series.points(PlantedBench(), sizes_for(80 * 2**30))
    names = [point.row["rung"] for point in points if point.row["n"] == 8192]
    assert names == [*(entry.name for entry in rungs()), "cublas", "cublas", "triton"]
    assert len(points) == 5 * len(names)
    assert [p.row["n"] for p in points] == sorted(p.row["n"] for p in points)


def test_without_a_gpu_nothing_is_measured(monkeypatch):
    monkeypatch.setenv("GPUEDU_TIER", "cpu")
    with pytest.raises(NoGpuError, match="GPUEDU_TIER=cpu is set"):
        measure_ladder([Own()], (8,))
