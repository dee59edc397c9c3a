"""Records of GPUs that are not here, with the rows that ``gpuedu record`` writes."""

from __future__ import annotations

import json
from importlib import import_module

from gpuedu.hardware.gpus import Gpus
from gpuedu.hardware.home import data_folder
from gpuedu.hardware.record_form import FORMAT, VERSION, describe
from gpuedu.recording.series import find_series
from tests.recording.planted import TINY, PlantedBench

VERSIONS = {"driver": "580.1", "cuda runtime": "13.0", "python": "3.12.1"}
SPREAD = 0.04
NO_MEMORY = "memory is not enough"


def plant_nothing(monkeypatch, tmp_path):
    """Neither records of the course nor GPUs."""
    module = import_module("gpuedu.hardware.records")
    monkeypatch.setattr(module, "_shipped", lambda: tmp_path / "shipped")
    monkeypatch.setattr(module, "find_gpus", Gpus)


def plant(tmp_path, device, *names, date="2026-11-21", own=False, median=1e-3, without=None):
    """Series of a device: every row takes ``median``; those that ``without`` tells are left out.

    ``median`` is a number, in the unit of the series, or a function of the row.
    """
    series = []
    for one in find_series(list(names)):
        points = one.points(PlantedBench(), TINY)
        kept = [p.row for p in points if without is None or not without(p.row)]
        series.append(
            {
                "device": device,
                "name": one.name,
                "date": date,
                "unit": one.unit,
                "what": one.what,
                "versions": VERSIONS,
                "rows": [_timed(row, median) for row in kept],
                "left_out": [
                    f"{describe(p.row)}: {NO_MEMORY}" for p in points if p.row not in kept
                ],
            }
        )
    folder = (data_folder() / "recorded" if own else tmp_path / "shipped") / device.lower()
    folder.mkdir(parents=True, exist_ok=True)
    content = {"format": FORMAT, "version": VERSION, "series": series}
    (folder / "kernels.json").write_text(json.dumps(content))


def _timed(row, median):
    value = median(row) if callable(median) else median
    return {**row, "median": value, "spread": SPREAD * value}
