"""The whole run without a GPU: refusal, the machine's side, and the checks with tools that talk.

In place of NVIDIA's tools stand small programs that print what the documented formats look like;
the kernels' children run on the machine's own host API.
"""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gpuedu.backend import has_gpu
from tests.gpu import __main__ as program
from tests.gpu import checks, child, device
from tests.gpu.child import Deadline, Ended, run_command
from tests.gpu.counters import COUNTERS, metrics
from tests.gpu.cuda_c import c_cases
from tests.gpu.faults import FAULTS
from tests.gpu.kernels import CASES
from tests.gpu.machine import run_on_machine
from tests.gpu.made import made_cases
from tests.gpu.report import FILE, Outcome, save
from tests.gpu.rows import ResultRow, Status

ROOT = Path(child.ROOT)
ALLOWED = [
    "numpy",
    "torch",
    "numba",
    "numba_cuda",
    "cuda",
    "cupy",
    "matplotlib",
    "llvmlite",
    "gpuedu",
    "tests",
]
BARE = f"""
import runpy, sys
class Bare:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in sys.stdlib_module_names and top not in {ALLOWED!r}:
            raise ImportError("not on a bare machine: " + name)
sys.meta_path.insert(0, Bare())
for name in ("platformdirs", "typer", "pytest"):
    try:
        __import__(name)
    except ImportError:
        continue
    raise SystemExit("the hook lets " + name + " through")
sys.argv = ["tests.gpu", "--machine-only"]
runpy.run_module("tests.gpu", run_name="__main__")
"""


@pytest.fixture(scope="module")
def runs():
    return [run_on_machine(case) for case in (*CASES, *c_cases())]


@pytest.fixture
def tool(tmp_path, monkeypatch):
    """Put a program of this name and Python text in front of PATH."""

    def put(name, text):
        path = tmp_path / name
        path.write_text(f"#!{sys.executable}\nimport sys\n{text}\n", "utf-8")
        path.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    return put


def profile(runs, forget=()):
    """Nsight Compute's raw page with the machine's counts, predictions applied."""
    names = [name for name in metrics() if name not in forget]
    header = ["ID", "Kernel Name", *names]
    lines = [header, ["", "", *["unit" for _ in names]]]
    for number, run in enumerate(runs):
        counts = run.counts | {p.counter: p.value for p in run.case.predictions}
        values = dict.fromkeys(metrics(), 0)
        for name, counter in COUNTERS.items():
            values[counter.metrics[-1]] = counts[name]
        kernel = f"tests::gpu::{run.case.kernel.__name__}[abi:v1](Array<float, 1, C>)"
        lines.append([str(number), kernel, *[f"{values[name]:,}" for name in names]])
    return "\n".join(",".join(f'"{cell}"' for cell in line) for line in lines)


def write_log(text):
    return f"open(sys.argv[sys.argv.index('--log-file') + 1], 'w').write({text!r})"


@pytest.mark.skipif(has_gpu(), reason="there is a GPU")
def test_without_a_gpu_one_line_says_what_is_missing(capsys, tmp_path):
    assert program.main(["--out", str(tmp_path)]) == program.NO_GPU == 3
    (line,) = capsys.readouterr().out.splitlines()
    assert "nothing was run" in line
    assert device.why_no_gpu() in line
    assert not list(tmp_path.iterdir())


def test_numbas_simulator_is_no_gpu(monkeypatch, capsys):
    monkeypatch.setenv("NUMBA_ENABLE_CUDASIM", "1")
    assert program.main([]) == program.NO_GPU
    assert "simulator" in capsys.readouterr().out


def test_the_list_names_every_kernel(capsys):
    assert program.main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(CASES) + len(c_cases()) + len(made_cases()) + len(FAULTS)


def test_a_bare_checkout_is_enough():
    done = subprocess.run(
        [sys.executable, "-c", BARE], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(": right;") == len(CASES)
    assert "no kernel in CUDA C was compared: tree_sitter cannot be imported" in done.stdout


def test_with_the_readers_of_cuda_c_its_kernels_are_run(capsys):
    assert program.main(["--machine-only"]) == 0
    told = capsys.readouterr().out
    assert told.count(": right;") == len(CASES) + len(c_cases())
    assert told.count(": right, made") == len(made_cases()) >= 12


def test_a_wrong_machine_is_told(monkeypatch, capsys):
    wrong = replace(CASES[0], oracle=lambda a, out, stride: None)
    monkeypatch.setattr(program, "CASES", [wrong])
    assert program.main(["--machine-only"]) == program.WRONG
    assert "WRONG" in capsys.readouterr().out


@pytest.mark.skipif(has_gpu(), reason="the host API is Numba's")
def test_a_child_tells_the_result_of_every_kernel():
    every = (*CASES, *c_cases(), *made_cases())
    rows, problems = checks.check_results(every, Deadline(200))
    assert [row.kernel for row in rows] == [entry.name for entry in every]
    assert {row.status for row in rows} == {Status.SAME}
    assert problems == []


def test_counts_as_the_machine_has_them_are_the_same_or_explained(runs, tool):
    tool("ncu", write_log(profile(runs)))
    rows, problems = checks.check_counters(runs, Deadline(60))
    assert problems == []
    counted = {run.case.name for run in runs if run.case.counted}
    assert {row.kernel for row in rows} == counted >= {case.name for case in CASES}
    explained = {(r.kernel, r.counter) for r in rows if r.status is Status.EXPLAINED}
    assert explained == {
        (case.name, p.counter)
        for case, run in ((run.case, run) for run in runs)
        for p in case.predictions
        if p.value != run.counts[p.counter]
    }
    assert {row.status for row in rows} == {Status.SAME, Status.EXPLAINED}


def test_a_metric_that_ncu_lacks_is_left_out_and_told(runs, tool):
    lacks = COUNTERS["shared load conflicts"].metrics[0]
    tool(
        "ncu",
        f"if {lacks!r} in ' '.join(sys.argv):\n"
        f"    print('==ERROR== Failed to find metric {lacks}')\n    sys.exit(1)\n"
        + write_log(profile(runs, forget=[lacks])),
    )
    rows, problems = checks.check_counters(runs, Deadline(60))
    assert problems == [f"ncu does not know {lacks} here"]
    assert {r.counter for r in rows if r.status is Status.NOT_RUN} == {"shared load conflicts"}


def test_forbidden_counters_are_told_and_nothing_is_claimed(runs, tool):
    tool("ncu", write_log("==ERROR== ERR_NVGPUCTRPERM - no permission") + "; sys.exit(1)")
    rows, problems = checks.check_counters(runs, Deadline(60))
    assert rows == []
    assert len(problems) == 1
    assert "ERR_NVGPUCTRPERM" in problems[0]


def test_missing_tools_are_told(runs, monkeypatch):
    monkeypatch.setattr(checks, "find_tool", lambda name: None)
    for rows, missing in (
        checks.check_counters(runs, Deadline(60)),
        checks.check_verdicts(Deadline(60)),
    ):
        assert rows == []
        assert len(missing) == 1
        assert "not installed" in missing[0]


SANITIZER = """
HEADLINES = {
    "memcheck": "Invalid __global__ read of size 4 bytes",
    "racecheck": "Error: Race reported between Write access at k+0x10 in faults.py:63",
    "initcheck": "Uninitialized __global__ memory read of size 4 bytes",
    "synccheck": "Barrier error detected. Divergent thread(s) in block.",
}
SILENT = ("reads_left_of_the_array", "adds_to_one_sum", "forgets_to_fill_the_tile")
if "--initcheck-address-space" in sys.argv:
    print("========= Error: unrecognized option '--initcheck-address-space'")
    sys.exit(1)
tool = sys.argv[sys.argv.index("--tool") + 1]
print("========= COMPUTE-SANITIZER")
if sys.argv[-1] != "launches" and sys.argv[-1] not in SILENT:
    print("========= " + HEADLINES[tool])
print("========= ERROR SUMMARY: some")
"""


def test_every_fault_gets_its_verdict(tool):
    tool("compute-sanitizer", SANITIZER)
    rows, missing = checks.check_verdicts(Deadline(100))
    assert missing == []
    assert len(rows) == len(FAULTS) + 4
    statuses = {row.kernel: row.status for row in rows}
    assert {k for k, status in statuses.items() if status is Status.EXPLAINED} == {
        "reads_left_of_the_array",
        "adds_to_one_sum",
        "forgets_to_fill_the_tile",
        "adds_to_what_was_there",
    }
    assert Status.DIFFERS not in statuses.values()


def test_a_tool_that_breaks_off_gives_no_verdict(tool):
    tool("compute-sanitizer", "print('========= COMPUTE-SANITIZER'); sys.exit(3)")
    rows, missing = checks.check_verdicts(Deadline(100))
    assert {row.status for row in rows} == {Status.NOT_RUN}
    assert len(missing) == len(rows)
    assert "code 3" in missing[0]


def test_without_time_nothing_is_started(tool):
    tool("compute-sanitizer", "raise SystemExit('started')")
    rows, missing = checks.check_verdicts(Deadline(0))
    assert {row.reason for row in rows} == {checks.NO_TIME}
    assert len(missing) == len(rows)


def test_a_child_that_hangs_is_ended_with_what_it_started():
    hangs = (
        "import subprocess, sys; print('begun', flush=True);"
        "subprocess.run([sys.executable, '-c', 'import time; time.sleep(600)'])"
    )
    ended = run_command([sys.executable, "-c", hangs], 1)
    assert ended == Ended(None, "begun\n")


def test_the_result_is_one_file(tmp_path, runs):
    outcome = Outcome({"device": "none", "versions": {}}, missing=["all"], seconds=1.4)
    outcome.results = [ResultRow("k", Status.DIFFERS, float("inf"), 0.5)]
    outcome.verdicts = [checks.correct_row("memcheck", [])]
    assert save(outcome, tmp_path / "new") == tmp_path / "new" / FILE
    plain = json.loads((tmp_path / "new" / FILE).read_text("utf-8"))
    assert plain["device"] == "none"
    assert plain["missing"] == ["all"]
    assert plain["verdicts"][0]["status"] == "same"
    assert (plain["results"][0]["from_machine"], plain["results"][0]["from_oracle"]) == ("inf", 0.5)
    assert plain["summary"]["verdicts"] == {"same": 1}
