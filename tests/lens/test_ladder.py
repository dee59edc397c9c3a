"""Rows of the ladder from counts and planted records."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuedu.hardware.records import Record
from gpuedu.hardware.roofline import Roofs
from gpuedu.lens.ladder import CountedRung, LadderError, build_ladder, same_device
from gpuedu.lens.roofline import RooflinePoint

ROOFS = Roofs("round", flop_per_s=64.0, memory_bytes_per_s=4.0, l1_bytes_per_s=32.0)
RUNGS = (
    CountedRung("naive", "naive", "Numba", RooflinePoint("naive", 100, 400, 10, 400)),
    CountedRung("tiled", "shared tiles", "Numba", RooflinePoint("tiled", 100, 50, 1, 25)),
    CountedRung("c-tiled", "shared tiles", "CUDA C"),
)


def point(rung, n, share_of_peak, peak=67e12, **changes):
    """A row whose time is that of this share of an H200's peak."""
    time_s = 2 * n**3 / (share_of_peak * peak)
    row = {"rung": rung, "language": "", "dtype": "float32", "m": n, "n": n, "k": n}
    return row | {"median": time_s, "spread": 0.0} | changes


def record(*rows, device="NVIDIA H200", **changes):
    fields = {"name": "matmul-ladder", "date": "2026-11-22T10:00:00+00:00", "unit": "s"}
    fields |= {"what": "the ladder", "versions": {"driver": "580.1", "python": "3.11"}}
    return Record(device=device, rows=rows, **(fields | changes))


H200 = record(
    *(point(rung, 2048, 0.1) for rung in ("naive", "tiled", "c-tiled", "cublas")),
    point("naive", 4096, 0.05),
    point("tiled", 4096, 0.08),
    point("c-tiled", 4096, 0.1),
    point("cublas", 4096, 0.8),
    point("cublas", 8192, 0.9),
    point("cublas", 4096, 0.5, dtype="bfloat16"),
    point("naive", 4096, 0.9, k=16),
)


def test_without_records_there_are_bounds_only():
    ladder = build_ladder(RUNGS, ROOFS, counted_n=128)
    naive, tiled, uncounted = ladder.rows
    assert (naive.name, naive.language, naive.limit) == ("naive", "Numba", "L1")
    assert naive.bound_share == 8 / 64  # 100 FLOP for 400 bytes of L1 at 32 bytes/s
    assert naive.uncached_share == 1 / 64  # the same 400 bytes from memory at 4 bytes/s
    assert (tiled.bound_share, tiled.limit, tiled.uncached_share) == (1.0, "arithmetic", 0.25)
    assert (uncounted.bound_share, uncounted.limit) == (None, "")
    assert (ladder.n, ladder.counted_n, ladder.devices) == (None, 128, ())
    assert ladder.bound_device == "round"


def test_measured_shares_are_of_the_devices_peak_and_of_its_cublas():
    ladder = build_ladder(RUNGS, ROOFS, [H200])
    assert (ladder.n, ladder.devices) == (4096, ("NVIDIA H200",))
    assert ladder.recorded == {"NVIDIA H200": "2026-11-22"}
    shares = [(row.slug, row.measured[0]) for row in ladder.rows]
    assert [slug for slug, _ in shares] == ["naive", "tiled", "c-tiled", "cublas"]
    assert [m.share_of_peak for _, m in shares] == pytest.approx([0.05, 0.08, 0.1, 0.8])
    assert [m.share_of_cublas for _, m in shares] == pytest.approx([1 / 16, 0.1, 0.125, 1.0])


def test_the_size_is_the_largest_that_all_rungs_have_or_the_one_asked_for():
    assert build_ladder(RUNGS, ROOFS, [H200], n=2048).n == 2048
    only = build_ladder(RUNGS, ROOFS, [H200], n=8192)
    assert [row.slug for row in only.rows if row.measured] == ["cublas"]
    with pytest.raises(LadderError, match=r"no record has the size 77.*2048, 4096, 8192"):
        build_ladder(RUNGS, ROOFS, [H200], n=77)


def test_a_rung_that_no_record_has_keeps_its_bound():
    rows = [row for row in H200.rows if row["rung"] != "tiled"]
    ladder = build_ladder(RUNGS, ROOFS, [record(*rows)])
    assert ladder.n == 4096
    tiled = ladder.rows[1]
    assert (tiled.slug, tiled.measured, tiled.bound_share) == ("tiled", (), 1.0)


def test_two_devices_and_ones_own():
    t4 = record(
        *(point(rung, 4096, 0.5, peak=8.1e12) for rung in ("naive", "tiled", "cublas")),
        device="Tesla T4",
        is_own=True,
    )
    ladder = build_ladder(RUNGS, ROOFS, [H200, t4])
    assert (ladder.n, ladder.devices) == (4096, ("NVIDIA H200", "Tesla T4"))
    assert ladder.own_devices == {"Tesla T4"}
    recorded, own = ladder.rows[0].measured
    assert (recorded.is_own, own.is_own) == (False, True)
    assert own.share_of_peak == pytest.approx(0.5)
    assert [m.device for m in ladder.rows[2].measured] == ["NVIDIA H200"]


def test_of_a_device_that_the_catalog_does_not_know_the_share_of_cublas_remains():
    rows = [point("naive", 512, 0.1), point("cublas", 512, 0.4)]
    ladder = build_ladder(RUNGS, ROOFS, [record(*rows, device="NVIDIA Something 9000")])
    assert ladder.rows[0].measured[0].share_of_peak is None
    assert ladder.rows[0].measured[0].share_of_cublas == pytest.approx(0.25)


def test_without_cublas_there_is_no_share_of_it():
    ladder = build_ladder(RUNGS, ROOFS, [record(point("naive", 512, 0.1))])
    assert ladder.rows[0].measured[0].share_of_cublas is None
    assert [row.slug for row in ladder.rows] == ["naive", "tiled", "c-tiled"]


@pytest.mark.parametrize("change", [{"name": "copy"}, {"unit": "FLOP/s"}])
def test_another_series_is_refused(change):
    with pytest.raises(LadderError, match="matmul-ladder"):
        build_ladder(RUNGS, ROOFS, [record(point("naive", 512, 0.1), **change)])


def test_a_record_of_other_rungs_is_none():
    ladder = build_ladder(RUNGS, ROOFS, [record(point("other", 512, 0.1))])
    assert (ladder.n, ladder.devices, ladder.recorded) == (None, (), {})
    assert len(ladder.rows) == len(RUNGS)


H100 = record(device="NVIDIA H100 80GB HBM3", date="2026-11-20T10:00:00+00:00")
UNKNOWN = record(device="A GPU of tomorrow", date="2026-12-01T10:00:00+00:00", is_own=True)


@pytest.mark.parametrize(
    ("records", "roofs", "kept"),
    [
        ([], "H200 SXM", ()),
        ([H100, H200], "H200 SXM", (H200,)),
        ([H200, replace(H100, is_own=True)], "H100 SXM", (replace(H100, is_own=True),)),
        ([UNKNOWN], "H200 SXM", ()),
        ([UNKNOWN, H100], "H100 SXM", (H100,)),
    ],
    ids=["none", "the newest", "the learner's own", "one without roofs", "another beside it"],
)
def test_bounds_and_times_are_of_one_device(records, roofs, kept):
    found, shown = same_device(records, "h200-sxm")
    assert (found.device, shown) == (roofs, kept)
