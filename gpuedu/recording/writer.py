"""A device's folder of records: what it holds, and how a series is added, whole or not at all."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gpuedu.errors import CatalogError, GpueduError
from gpuedu.hardware.plausibility import require_plausible
from gpuedu.hardware.record_form import FORMAT, VERSION, require_form
from gpuedu.hardware.records import read_file
from gpuedu.recording.bench import GpuBench
from gpuedu.recording.points import Measured, Series


def slug_of(device: str) -> str:
    """The folder of a device.

    >>> slug_of("NVIDIA H100 80GB HBM3")
    'nvidia-h100-80gb-hbm3'
    """
    return re.sub(r"[^a-z0-9]+", "-", device.lower()).strip("-") or "gpu"


def as_series(series: Series, measured: Measured, bench: GpuBench) -> dict[str, Any]:
    """What is written of a series, dated today (UTC)."""
    return {
        "name": series.name,
        "device": bench.name,
        "date": datetime.now(UTC).date().isoformat(),
        "unit": series.unit,
        "what": series.what,
        "versions": dict(bench.versions),
        "left_out": list(measured.left_out),
        "complete": measured.is_complete,
        "rows": [dict(row) for row in measured.rows],
    }


class RecordFolder:
    """The folder of one device; it need not exist yet."""

    def __init__(self, out: Path, device: str) -> None:
        self.path = out / slug_of(device)

    def has(self, series: Series, versions: Mapping[str, str]) -> bool:
        """Whether the series was measured with the same versions, to its end, with no fault."""
        for entry in self._read(series.file):
            if entry["name"] == series.name:
                return entry["versions"] == dict(versions) and entry.get("complete", True)
        return False

    def put(self, file: str, series: Mapping[str, Any]) -> Path:
        """Add a series to a file, replacing the one with its name.

        The file is replaced when the new one is completely written: whenever this process ends,
        every series that was written before is there.

        Raises:
            CatalogError: The series is not a valid record.
            GpueduError: The folder cannot be written.
        """
        target = self.path / file
        require_form(series, str(target))
        require_plausible(series, str(target))
        kept = [entry for entry in self._read(file) if entry["name"] != series["name"]]
        data = {"format": FORMAT, "version": VERSION, "series": [*kept, series]}
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            _replace(target, to_text(data))
        except OSError as fault:
            raise GpueduError(
                f"cannot write {target}: {fault.strerror or fault}", remedy="--out with a folder"
            ) from fault
        return target

    def _read(self, file: str) -> list[dict[str, Any]]:
        """The series in a file; a damaged file counts as absent, and is written anew."""
        target = self.path / file
        try:
            return list(read_file(target, str(target))) if target.is_file() else []
        except CatalogError:
            return []


def _replace(target: Path, text: str) -> None:
    handle, draft = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        # mkstemp makes a file for its owner alone; records are for everybody to read.
        Path(draft).chmod(0o644)
        Path(draft).replace(target)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def to_text(data: Mapping[str, Any]) -> str:
    """JSON with a line for each row, so that a change of a record can be read."""
    text = json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False)
    return _ROW.sub(lambda found: " ".join(found.group().split()), text) + "\n"


# An object that holds no other: a row, or the versions.
_ROW = re.compile(r"\{[^{}\[\]]*\}")
