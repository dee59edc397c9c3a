"""The diagnosis on planted machines: it is told for a person and for a program, and never fails."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from dataclasses import replace
from importlib import metadata

import psutil
import pytest
from rich.console import Console

from gpuedu.hardware import doctor
from gpuedu.hardware.doctor import as_dict, as_table, examine, short_form
from gpuedu.syllabus import lessons
from tests.hardware.planted import with_library, with_program, without_library, without_program


@pytest.fixture(autouse=True)
def _no_gpu(monkeypatch, tmp_path):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    without_library(monkeypatch)
    without_program(monkeypatch, tmp_path / "bin")


def installed(monkeypatch, **versions):
    """Only these packages are installed."""

    def version(name):
        if name not in versions:
            raise metadata.PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(doctor.metadata, "version", version)


def printed(diagnosis, width=80):
    page = io.StringIO()
    Console(file=page, width=width, color_system=None).print(as_table(diagnosis))
    return page.getvalue()


def test_without_a_gpu():
    diagnosis = examine(measure=False)
    assert diagnosis.tier == "cpu" and diagnosis.bandwidth is None
    assert diagnosis.missing[0].what == "an NVIDIA GPU"
    line = short_form(diagnosis)
    assert line.startswith("cpu tier: ") and "no NVIDIA GPU. Every exercise works" in line
    assert "\n" not in line


def test_a_browser_tab_lacks_nothing_that_could_be_installed_there():
    diagnosis = examine(measure=False)
    tab = replace(diagnosis, machine=replace(diagnosis.machine, system="Emscripten 3.1.58"))
    assert tab.tier == "tab"
    assert short_form(tab).startswith("tab tier: your browser") and "\n" not in short_form(tab)


def test_the_bandwidth_is_measured_with_what_the_machine_has(monkeypatch):
    asked = []
    found = doctor.Bandwidth(1.25e10, 1e8, 128_000_000)
    monkeypatch.setattr(
        doctor, "measure_bandwidth", lambda available_bytes: asked.append(available_bytes) or found
    )
    diagnosis = examine()
    assert diagnosis.bandwidth is found and asked == [diagnosis.machine.available_bytes]
    assert "12.5 GB/s, spread 100 MB/s" in printed(diagnosis)


def test_no_memory_to_measure_with_is_no_bandwidth(monkeypatch):
    def fail(**_):
        raise MemoryError

    monkeypatch.setattr(doctor, "measure_bandwidth", fail)
    assert examine().bandwidth is None


def test_two_gpus_from_the_program(monkeypatch, tmp_path):
    rows = [f"NVIDIA L4, 23034, 8.9, 550.54.15, GPU-{index}" for index in (1, 2)]
    with_program(monkeypatch, tmp_path / "bin", rows)
    diagnosis = examine(measure=False)
    assert diagnosis.tier == "multi"
    assert "2 GPUs: NVIDIA L4" in short_form(diagnosis)
    page = printed(diagnosis)
    assert page.count("NVIDIA L4, 22.5 GiB, compute capability 8.9") == 2
    assert "550.54.15, up to CUDA 12.4" in page


def test_the_remedy_survives_the_table(monkeypatch):
    with_library(monkeypatch, ["NVIDIA H200"], cuda=13000)
    installed(monkeypatch, torch="2.6.0")
    diagnosis = examine(measure=False)
    assert 'pip install cupy-cuda13x "numba-cuda[cu13]"' in printed(diagnosis)
    assert "\nMissing: CuPy; numba-cuda. " in short_form(diagnosis)


@pytest.mark.parametrize("width", [80, 100])
def test_the_table_fits_and_cuts_nothing(width):
    diagnosis = examine(measure=False)
    page = printed(diagnosis, width)
    assert max(map(len, page.splitlines())) <= width
    assert "…" not in page
    words = page.replace("│", " ").split()
    for entry in diagnosis.lessons:
        assert set(f"{entry.title}".split()) <= {word.strip(",") for word in words}


def test_only_installed_packages_are_listed(monkeypatch):
    installed(monkeypatch, torch="2.6.0", numba="0.61")
    assert examine(measure=False).packages == {"torch": "2.6.0", "numba": "0.61"}
    installed(monkeypatch)
    assert "none of the course's" in printed(examine(measure=False))


def test_a_damaged_package_is_none(monkeypatch):
    def broken(_):
        raise ValueError("no metadata")

    monkeypatch.setattr(doctor.metadata, "version", broken)
    assert examine(measure=False).packages == {}


def test_the_lessons_that_gain():
    diagnosis = examine(measure=False)
    assert {entry.gains for entry in diagnosis.gaining} == {"own times", "needed for scale"}
    assert len(diagnosis.gaining) == sum(entry.gains != "nothing" for entry in lessons())


def test_it_is_ready_for_json(monkeypatch):
    with_library(monkeypatch, ["NVIDIA H200"])
    read = json.loads(json.dumps(as_dict(examine(measure=False))))
    assert read["tier"] == "gpu" and read["bandwidth"] is None
    assert read["machine"]["gpus"]["found"][0]["compute_capability"] == [9, 0]
    assert {"lesson": "welcome", "ready": True, "gains": "own times"} in read["lessons"]
    assert all(entry.keys() == {"what", "why", "how"} for entry in read["missing"])


def test_everything_may_fail_at_once(monkeypatch, tmp_path):
    def fail(*_, **__):
        raise OSError("no")

    monkeypatch.setattr(psutil, "virtual_memory", fail)
    monkeypatch.setattr(psutil, "cpu_count", fail)
    monkeypatch.setattr(doctor.Machine.__init__.__globals__["Path"], "read_text", fail)
    with_program(monkeypatch, tmp_path / "bin", script="exit 1")
    monkeypatch.setenv("GPUEDU_HOME", "/dev/null/x")
    installed(monkeypatch)
    diagnosis = examine(measure=False)
    assert diagnosis.machine.memory_bytes is None
    assert [entry.what for entry in diagnosis.missing] == [
        "an NVIDIA GPU",
        "PyTorch",
        "a folder for your progress (/dev/null/x)",
    ]
    assert "not known" in printed(diagnosis)
    assert short_form(diagnosis).startswith("cpu tier: ")
    json.dumps(as_dict(diagnosis))


def test_looking_imports_nothing_heavy():
    code = (
        "import sys\n"
        "from gpuedu.hardware.doctor import examine, short_form\n"
        "short_form(examine(measure=False))\n"
        "heavy = {'torch', 'numba', 'cupy', 'matplotlib', 'numpy', 'rich'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(heavy)) or 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
