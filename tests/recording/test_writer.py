"""A device's folder: series are put in whole, and what is there is kept."""

from __future__ import annotations

import json

import pytest

from gpuedu.errors import CatalogError, GpueduError
from gpuedu.hardware.records import read_folder, records
from gpuedu.recording import writer
from gpuedu.recording.points import Measured, Series
from gpuedu.recording.writer import RecordFolder, as_series, slug_of
from tests.recording.planted import VERSIONS, PlantedBench

ROWS = ({"n": 1, "median": 1e-3, "spread": 1e-5}, {"n": 2, "median": 2e-3, "spread": 0.0})


def series(name="copy", file="memory.json"):
    return Series(name, file, "s", "a copy", lambda bench, sizes: ())


def written(name="copy", rows=ROWS, **more):
    return as_series(series(name), Measured(rows, **more), PlantedBench())


def test_what_is_put_is_read_back(tmp_path):
    folder = RecordFolder(tmp_path, "Planted GPU")
    path = folder.put("memory.json", written(left_out=("n 3: memory is not enough",)))
    assert path == tmp_path / "planted-gpu" / "memory.json"
    (record,) = records("copy", tmp_path)
    assert (record.device, record.unit, record.what) == ("Planted GPU", "s", "a copy")
    assert record.rows == ROWS
    assert record.versions == VERSIONS
    assert record.left_out == ("n 3: memory is not enough",)


def test_a_series_takes_the_place_of_the_one_of_its_name(tmp_path):
    folder = RecordFolder(tmp_path, "Planted GPU")
    folder.put("memory.json", written("copy"))
    folder.put("memory.json", written("other"))
    folder.put("memory.json", written("copy", ROWS[:1]))
    found = {entry["name"]: len(entry["rows"]) for entry in read_folder(folder.path)}
    assert found == {"copy": 1, "other": 2}


def test_a_row_is_a_line(tmp_path):
    path = RecordFolder(tmp_path, "Planted GPU").put("memory.json", written())
    lines = [line.strip().rstrip(",") for line in path.read_text().splitlines()]
    assert json.loads(lines[lines.index('"rows": [') + 1]) == ROWS[0]
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_name_with_braces_is_written_as_it_is(tmp_path):
    rows = ({"kernel": 'tile<8>  {"x"}', "median": 1.0, "spread": 0.0},)
    RecordFolder(tmp_path, "Planted GPU").put("memory.json", written(rows=rows))
    assert records("copy", tmp_path)[0].rows == rows


def test_what_is_no_sound_record_is_not_written(tmp_path):
    folder = RecordFolder(tmp_path, "Planted GPU")
    with pytest.raises(CatalogError, match="median should be above 0"):
        folder.put("memory.json", written(rows=({"median": 0.0, "spread": 0.0},)))
    assert not folder.path.exists()


def test_a_write_that_breaks_off_harms_nothing(tmp_path, monkeypatch):
    folder = RecordFolder(tmp_path, "Planted GPU")
    folder.put("memory.json", written())

    def interrupted(handle):
        raise KeyboardInterrupt

    monkeypatch.setattr(writer.os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        folder.put("memory.json", written("other"))
    assert [entry.name for entry in folder.path.iterdir()] == ["memory.json"]
    assert [entry["name"] for entry in read_folder(folder.path)] == ["copy"]


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "planted-gpu").write_text("in the way")
    with pytest.raises(GpueduError, match="cannot write"):
        RecordFolder(tmp_path, "Planted GPU").put("memory.json", written())


def test_what_is_there_counts_only_with_the_same_versions_and_without_faults(tmp_path):
    folder = RecordFolder(tmp_path, "Planted GPU")
    assert not folder.has(series(), VERSIONS)
    folder.put("memory.json", written())
    assert folder.has(series(), VERSIONS)
    assert not folder.has(series("other"), VERSIONS)
    assert not folder.has(series(), {**VERSIONS, "driver": "581.2"})
    folder.put("memory.json", written(faults=("n 3: wrong",)))
    assert not folder.has(series(), VERSIONS)


def test_a_damaged_file_is_written_anew(tmp_path):
    folder = RecordFolder(tmp_path, "Planted GPU")
    folder.put("memory.json", written("other")).write_text("{")
    assert not folder.has(series(), VERSIONS)
    folder.put("memory.json", written())
    assert [entry["name"] for entry in read_folder(folder.path)] == ["copy"]


@pytest.mark.parametrize(
    ("device", "slug"),
    [
        ("Tesla T4", "tesla-t4"),
        ("../x/..", "x"),
        ("", "gpu"),
        ("NVIDIA  H200 (1)", "nvidia-h200-1"),
    ],
)
def test_a_device_has_a_folder_of_a_plain_name(device, slug):
    assert slug_of(device) == slug
