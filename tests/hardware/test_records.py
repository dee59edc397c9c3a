"""Records of real GPUs: read where there are some, named where one is not sound."""

from __future__ import annotations

import json

import pytest

from gpuedu.errors import CatalogueError
from gpuedu.hardware.records import records

GOOD = {
    "device": "H200 SXM",
    "name": "copy",
    "date": "2026-11-21",
    "unit": "s",
    "what": "a copy by size",
    "versions": {"driver": "580.1", "cupy": "14.2"},
    "rows": [{"n": 1024, "median": 1e-5, "spread": 1e-7}],
}


def plant(folder, data, device="h200"):
    path = folder / device / "copy.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data if isinstance(data, str) else json.dumps(data))


def test_records_are_found_by_name_on_every_device(tmp_path):
    plant(tmp_path, GOOD)
    plant(tmp_path, {**GOOD, "device": "T4"}, "t4")
    found = records("copy", tmp_path)
    assert [record.device for record in found] == ["H200 SXM", "T4"]
    assert found[0].rows[0]["median"] == 1e-5
    assert records("other", tmp_path) == ()


def test_without_a_folder_there_are_none(tmp_path):
    assert records("copy", tmp_path / "none") == ()


def test_the_committed_records_can_be_read():
    for name in ("copy", "launch", "break-even"):
        assert isinstance(records(name), tuple)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"device": ""}, "device should be a text"),
        ({"date": None}, "date should be a text"),
        ({"versions": {}}, "versions should name"),
        ({"rows": []}, "rows should be a list"),
        ({"rows": [{"median": 1}]}, "row 0: spread"),
        ({"rows": [{"median": -1, "spread": 0}]}, "row 0: median"),
        ({"rows": [{"median": True, "spread": 0}]}, "row 0: median"),
        ({"rows": [3]}, "row 0: median"),
    ],
)
def test_an_unsound_record_is_named(tmp_path, change, said):
    plant(tmp_path, {**GOOD, **change})
    with pytest.raises(CatalogueError, match=said):
        records("copy", tmp_path)


@pytest.mark.parametrize("text", ["{", "[]", "3"])
def test_what_is_no_record_is_named(tmp_path, text):
    plant(tmp_path, text)
    with pytest.raises(CatalogueError, match=r"copy\.json"):
        records("copy", tmp_path)
