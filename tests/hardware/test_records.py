"""Records of real GPUs: read where there are some, named where one is not sound."""

from __future__ import annotations

import json
from importlib import import_module

import pytest

from gpuedu.errors import CatalogError
from gpuedu.hardware.gpus import Gpu, Gpus
from gpuedu.hardware.home import data_folder
from gpuedu.hardware.record_form import FORMAT, VERSION
from gpuedu.hardware.records import read_folder, records

module = import_module("gpuedu.hardware.records")
H100 = "NVIDIA H100 80GB HBM3"
GOOD = {
    "device": "Some GPU",
    "name": "copy",
    "date": "2026-11-21",
    "unit": "s",
    "what": "a copy by size",
    "versions": {"driver": "580.1", "cupy": "14.2", "python": "3.12.1"},
    "rows": [{"n": 1024, "median": 1e-5, "spread": 1e-7}],
}


def plant(folder, *series, device="some-gpu", file="memory.json", **head):
    path = folder / device / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"format": FORMAT, "version": VERSION, "series": series, **head}))
    return path


@pytest.fixture(autouse=True)
def _no_gpus(monkeypatch):
    monkeypatch.setattr(module, "find_gpus", Gpus)


def test_a_series_is_found_in_any_file_of_every_device(tmp_path):
    plant(tmp_path, {**GOOD, "name": "other"}, {**GOOD, "device": "B"}, device="b")
    plant(tmp_path, {**GOOD, "device": "A"}, device="a", file="matmul.json")
    found = records("copy", tmp_path)
    assert [record.device for record in found] == ["A", "B"]
    assert found[0].rows[0]["median"] == 1e-5
    assert found[0].left_out == () and not found[0].is_own
    assert [record.device for record in records("other", tmp_path)] == ["Some GPU"]
    assert records("none", tmp_path) == ()


def test_without_a_folder_there_are_none(tmp_path):
    assert records("copy", tmp_path / "none") == ()


def test_the_committed_records_can_be_read():
    for name in ("break-even", "matmul-ladder", "copy-by-size", "launch-latency"):
        assert isinstance(records(name), tuple)


def test_what_is_left_out_is_kept(tmp_path):
    plant(tmp_path, {**GOOD, "left_out": ["n 4096: memory is not enough"]})
    assert records("copy", tmp_path)[0].left_out == ("n 4096: memory is not enough",)


def test_the_learners_own_records_are_among_them_and_take_the_place_of_the_courses(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(module, "_shipped", lambda: tmp_path)
    plant(tmp_path, {**GOOD, "date": "2026-01-01"})
    plant(tmp_path, {**GOOD, "device": "A"}, device="a")
    own = data_folder() / "recorded"
    plant(own, {**GOOD, "date": "2026-11-22"})
    assert [(r.device, r.date, r.is_own) for r in records("copy")] == [
        ("A", "2026-11-21", False),
        ("Some GPU", "2026-11-22", True),
    ]


def test_a_gpu_of_this_machine_is_the_learners_own(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "find_gpus", lambda: Gpus((Gpu("A", 1),)))
    plant(tmp_path, {**GOOD, "device": "A"}, device="a")
    plant(tmp_path, GOOD)
    assert [record.is_own for record in records("copy", tmp_path)] == [True, False]


def test_other_files_in_the_folder_are_passed_over(tmp_path):
    folder = tmp_path / "some-gpu"
    plant(tmp_path, GOOD)
    (folder / "against-gpu.json").write_text('{"results": []}')
    (folder / "list.json").write_text("[1]")
    (folder / "notes.txt").write_text("{")
    (folder / ".memory.json.x1.json").write_text("{")
    (folder / "deeper.json").mkdir()
    assert [series["name"] for series in read_folder(folder)] == ["copy"]


def test_a_series_stands_there_once(tmp_path):
    plant(tmp_path, GOOD)
    plant(tmp_path, GOOD, file="matmul.json")
    with pytest.raises(CatalogError, match="'copy' is listed twice"):
        records("copy", tmp_path)


ROW = GOOD["rows"][0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"device": ""}, r"memory.json: series 0: device should be a text"),
        ({"name": "Copy it"}, "name should be lower-case"),
        ({"unit": "ms"}, "unit is 'ms'"),
        ({"date": None}, "date should be a text"),
        ({"date": "21st of May"}, r"copy: date '21st of May' is not a date"),
        ({"versions": {}}, "versions should name"),
        ({"versions": {"driver": "1"}}, "versions lacks 'python'"),
        ({"versions": {"driver": 580, "python": "3"}}, "versions: driver should be a text"),
        ({"left_out": "much"}, "left_out should be a list"),
        ({"rows": []}, "rows should be a list"),
        ({"rows": [ROW, {"median": 1}]}, "some-gpu/memory.json: copy: row 1: spread"),
        ({"rows": [{"median": -1, "spread": 0}]}, "row 0: median should be above 0"),
        ({"rows": [{"median": 0, "spread": 0}]}, "row 0: median should be above 0"),
        ({"rows": [{"median": 1, "spread": -1e-9}]}, "row 0: spread should not be below 0"),
        ({"rows": [{"median": True, "spread": 0}]}, "row 0: median should be a number"),
        ({"rows": [{"median": float("nan"), "spread": 0}]}, "row 0: median should be a number"),
        ({"rows": [{**ROW, "n": None}]}, "row 0: n should be a text or a number"),
        ({"rows": [3]}, "row 0: median"),
    ],
)
def test_an_unsound_record_is_named(tmp_path, change, said):
    plant(tmp_path, {**GOOD, **change})
    with pytest.raises(CatalogError, match=said):
        records("copy", tmp_path)


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ({"version": 99}, "version is 99"),
        ({"series": {}}, "series should be a list"),
        ({"series": [3]}, "series 0 should be an object"),
    ],
)
def test_an_unsound_file_is_named(tmp_path, head, said):
    plant(tmp_path, **head) if "series" not in head else _plant_head(tmp_path, head)
    with pytest.raises(CatalogError, match=rf"memory\.json: {said}"):
        records("copy", tmp_path)


def _plant_head(folder, head):
    path = plant(folder)
    path.write_text(json.dumps({"format": FORMAT, "version": VERSION, **head}))


def test_what_is_no_json_is_named(tmp_path):
    plant(tmp_path).write_text("{")
    with pytest.raises(CatalogError, match=r"some-gpu/memory\.json: not JSON"):
        records("copy", tmp_path)


MATMUL = {"rung": "naive", "dtype": "float32", "m": 4096, "n": 4096, "k": 4096}
FLOP = 2 * 4096**3
# The H100's peaks, from its data sheet: 67 TFLOP/s in float32, 989 in bfloat16; 3,350 GB/s.


@pytest.mark.parametrize(
    ("unit", "row", "said"),
    [
        ("s", {**MATMUL, "median": FLOP / 68e12}, r"68 TFLOP/s, and the fp32 peak .* 67 TFLOP/s"),
        ("s", {**MATMUL, "dtype": "bfloat16", "median": FLOP / 1e15}, "the bf16 peak"),
        ("s", {"flop": 3e9, "median": 3e9 / 70e12}, "the fp32 peak"),
        ("FLOP/s", {"median": 68e12}, "the fp32 peak"),
        ("B/s", {"from": "device memory", "median": 3.4e12}, r"3.4 TB/s, and the bandwidth"),
        ("s", {"from": "device memory", "moved_bytes": 34e9, "median": 0.01}, "the bandwidth"),
    ],
)
def test_no_record_is_above_what_its_device_can_do(tmp_path, unit, row, said):
    plant(tmp_path, {**GOOD, "device": H100, "unit": unit, "rows": [ROW, {**row, "spread": 0.0}]})
    with pytest.raises(CatalogError, match=rf"memory\.json: copy: row 1 .*{said}"):
        records("copy", tmp_path)
    # A device that the catalog does not know may do anything.
    plant(tmp_path, {**GOOD, "unit": unit, "rows": [{**row, "spread": 0.0}]})
    assert len(records("copy", tmp_path)) == 1


@pytest.mark.parametrize(
    ("unit", "row"),
    [
        ("s", {**MATMUL, "median": FLOP / 66e12}),
        ("s", {**MATMUL, "dtype": "bfloat16", "median": FLOP / 700e12}),
        ("s", {**MATMUL, "dtype": "int8", "median": FLOP / 2e15}),
        ("B/s", {"from": "L2 cache", "median": 6e12}),
        ("B/s", {"from": "both", "median": 3.4e12}),
        ("B/s", {"from": "device memory", "median": 3.0e12}),
    ],
)
def test_what_a_device_can_do_is_let_pass(tmp_path, unit, row):
    plant(tmp_path, {**GOOD, "device": H100, "unit": unit, "rows": [{**row, "spread": 0.0}]})
    assert len(records("copy", tmp_path)) == 1


def test_a_geforce_may_be_clocked_above_its_data_sheet(tmp_path):
    rows = [{**MATMUL, "median": FLOP / 90e12, "spread": 0.0}]
    plant(tmp_path, {**GOOD, "device": "NVIDIA GeForce RTX 4090", "rows": rows})
    assert len(records("copy", tmp_path)) == 1
