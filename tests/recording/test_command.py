"""``gpuedu record`` as it is typed."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from gpuedu.hardware.records import records
from gpuedu.recording import command, recorder
from gpuedu.recording.command import main
from tests.recording.planted import TINY, PlantedBench

QUICK = ("--only", "host-device-copies", "--only", "coalescing")


@pytest.fixture(autouse=True)
def _tiny(monkeypatch):
    monkeypatch.setattr(recorder, "sizes_for", lambda memory_bytes: TINY)


def test_it_writes_into_the_learners_own_folder_and_the_records_are_found(capsys):
    assert main(QUICK, open_bench=PlantedBench) == 0
    said = capsys.readouterr().out
    assert "Planted GPU: driver 580.1" in said and "2 series written" in said
    (record,) = (one for one in records("coalescing") if one.is_own)
    assert record.is_own and record.device == "Planted GPU"
    assert {row["kernel"] for row in record.rows} == {"blocked", "striped"}


def test_a_second_call_has_nothing_to_do(tmp_path, capsys):
    out = ("--out", str(tmp_path))
    assert main([*QUICK, *out], open_bench=PlantedBench) == 0
    capsys.readouterr()
    assert main([*QUICK, *out], open_bench=PlantedBench) == 0
    said = capsys.readouterr().out
    assert "0 series written" in said
    assert "there already: host-device-copies, coalescing (--fresh" in said
    assert main([*QUICK, *out, "--fresh"], open_bench=PlantedBench) == 0
    assert "2 series written" in capsys.readouterr().out


def test_a_wrong_result_is_told_and_the_status_is_1(tmp_path, monkeypatch, capsys):
    from gpuedu.recording import kernels

    def wrong(src, dst):
        pass

    monkeypatch.setattr(kernels, "copy_striped", wrong)
    assert main(["--only", "coalescing", "--out", str(tmp_path)], open_bench=PlantedBench) == 1
    said = capsys.readouterr().out
    assert "WRONG: coalescing: kernel striped" in said
    (series,) = json.loads((tmp_path / "planted-gpu" / "kernels.json").read_text())["series"]
    assert [row["kernel"] for row in series["rows"]] == ["blocked"]


def test_an_interruption_keeps_what_was_done(tmp_path, monkeypatch, capsys):
    class Interrupted(PlantedBench):
        def free(self):
            if self.runs:
                raise KeyboardInterrupt

    assert main([*QUICK, "--out", str(tmp_path)], open_bench=Interrupted) == 130
    said = capsys.readouterr().out
    assert "interrupted; " in said and "1 series written" in said
    assert "not measured: coalescing" in said
    assert (tmp_path / "planted-gpu" / "memory.json").is_file()


def test_a_lost_device_begins_again_without_the_series(tmp_path, capsys):
    class Losing(PlantedBench):
        def sync(self):
            if self.runs > 100:
                raise RuntimeError("CUDA_ERROR_ILLEGAL_ADDRESS")

    told = []
    names = (*QUICK, "--only", "block-sums")
    status = main(
        [*names, "--out", str(tmp_path), "--time-s", "90"],
        open_bench=Losing,
        restart=lambda arguments: told.append(list(arguments)) or 7,
    )
    assert status == 7
    (arguments,) = told
    lost = arguments[arguments.index("--leave-out") + 1]
    assert lost == "host-device-copies"
    assert arguments.count("--only") == 2
    assert float(arguments[arguments.index("--time-s") + 1]) < 90
    # What it is told goes on, and the status says that something is wrong.
    assert main(arguments, open_bench=PlantedBench) == 1
    assert "host-device-copies: it lost the GPU's context" in capsys.readouterr().out
    assert (tmp_path / "planted-gpu" / "kernels.json").is_file()


def test_the_series_are_listed_without_a_gpu(capsys):
    assert main(["--list"]) == 0
    said = capsys.readouterr().out
    for name in ("matmul-ladder", "copy-by-stride", "host-device-copies", "atomics", "break-even"):
        assert f"{name} (" in said


def caps_of(out):
    file = out / "planted-gpu" / "power.json"
    return [s["name"] for s in json.loads(file.read_text())["series"]]


def test_the_power_limit_is_never_touched_unless_asked_for(tmp_path, capsys):
    class Untouchable(PlantedBench):
        def power_cap(self, share):
            raise AssertionError("the limit was touched")

    out = ("--out", str(tmp_path), "--time-s", "600")
    assert main([*out, "--only", "power"], open_bench=Untouchable) == 0
    assert caps_of(tmp_path) == ["power"]
    assert main([*out, "--only", "power-caps"], open_bench=Untouchable) == 1
    assert "power-caps changes the GPU's power limit" in capsys.readouterr().err
    chosen = command._chosen(command._parser().parse_args([]))
    assert [s.name for s in chosen if s.changes_power_limit] == []
    assert "power" in [s.name for s in chosen]


def test_caps_are_measured_where_they_are_asked_for(tmp_path):
    benches = []

    def open_bench():
        benches.append(PlantedBench())
        return benches[-1]

    only = ("--only", "power-caps", "--caps", "--time-s", "600")
    assert main(["--out", str(tmp_path), *only], open_bench=open_bench) == 0
    assert caps_of(tmp_path) == ["power-caps"]
    assert benches[0].limit_w == benches[0].default_limit_w
    chosen = command._chosen(command._parser().parse_args(["--caps"]))
    assert "power-caps" in [s.name for s in chosen]


def test_a_run_that_begins_again_keeps_its_caps(tmp_path):
    class Losing(PlantedBench):
        def sync(self):
            if self.runs > 100:
                raise RuntimeError("CUDA_ERROR_ILLEGAL_ADDRESS")

    told = []
    main(
        ["--caps", *QUICK, "--only", "power-caps", "--out", str(tmp_path)],
        open_bench=Losing,
        restart=lambda arguments: told.extend(arguments) or 7,
    )
    assert "--caps" in told and "power-caps" in told


def test_an_unknown_series_is_one_line(capsys):
    assert main(["--only", "matmull"], open_bench=PlantedBench) == 1
    assert "matmull" in capsys.readouterr().err


def test_a_machine_without_a_gpu_is_refused_in_one_line(monkeypatch, capsys):
    monkeypatch.setattr(command, "open_gpu", None)
    monkeypatch.setenv("GPUEDU_TIER", "cpu")
    assert main([]) == 3
    assert capsys.readouterr().err == (
        "gpuedu record: there is nothing to record on: GPUEDU_TIER=cpu is set; try: unset it\n"
    )


def bare(root, *arguments, home="/nowhere"):
    return subprocess.run(
        [sys.executable, "-W", "error", str(root / "tests" / "recording" / "bare.py"), *arguments],
        cwd=root,
        env={"PYTHONPATH": str(root), "PATH": "", "GPUEDU_HOME": str(home), "GPUEDU_TIER": "cpu"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_bare_checkout_refuses_for_the_lack_of_a_gpu_and_of_nothing_else(root):
    done = bare(root)
    assert done.returncode == 3, done.stderr
    assert done.stderr.startswith("gpuedu record: there is nothing to record on: ")
    assert done.stderr.count("\n") == 1
    listed = bare(root, "--list")
    assert listed.returncode == 0, listed.stderr
    assert "matmul-ladder" in listed.stdout
    assert "power-caps (power.json, W, with --caps only)" in listed.stdout


def test_a_bare_checkout_measures(root, tmp_path):
    names = (
        "launch-latency",
        "copy-by-size",
        "host-device-copies",
        "atomics",
        "transposes",
        "power",
    )
    only = [part for name in names for part in ("--only", name)]
    done = bare(root, "--planted", "--out", str(tmp_path), *only, home=tmp_path / "home")
    assert done.returncode == 0, done.stdout + done.stderr
    found = sorted(path.name for path in (tmp_path / "planted-gpu").iterdir())
    assert found == ["kernels.json", "launches.json", "memory.json", "power.json"]
