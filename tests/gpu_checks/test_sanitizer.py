"""The sanitizer's reports. The samples are written by hand after the Compute Sanitizer's manual, in
the wording of its versions of CUDA 11 to 13; no GPU printed them."""

import pytest

from tests.gpu import sanitizer

MEMCHECK = """========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at tests::gpu::faults::reads_past_the_end[abi:v1](Array<float>)+0x190 in /repo/tests/gpu/faults.py:47
=========     by thread (63,0,0) in block (1,0,0)
=========     Address 0x7f1e4fa00200 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f1e4fa00000 of size 512 bytes
=========
========= Program hit CUDA_ERROR_LAUNCH_FAILED (error 719) due to "unspecified launch failure" on CUDA API call to cuCtxSynchronize.
=========
Traceback (most recent call last):
  File "/repo/tests/gpu/__main__.py", line 90, in <module>
========= ERROR SUMMARY: 1 error
"""

RACECHECK = """========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at misses_a_barrier[abi:v1](Array<float>)+0x120 in faults.py:63
=========     and Read access at misses_a_barrier[abi:v1](Array<float>)+0x150 in faults.py:64 [256 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""

INITCHECK = """========= COMPUTE-SANITIZER
========= Uninitialized __shared__ memory read of size 4 bytes
=========     at forgets_to_fill_the_tile[abi:v1](Array<float>)+0x1b0 in faults.py:90
=========     by thread (32,0,0) in block (0,0,0)
=========     Address 0x80
=========
========= ERROR SUMMARY: 1 error
"""

SYNCCHECK = """========= COMPUTE-SANITIZER
========= Barrier error detected. Divergent thread(s) in block.
=========     at barrier_in_a_branch[abi:v1](Array<float>)+0xb0 in faults.py:101
=========     by thread (0,0,0) in block (0,0,0)
=========
========= ERROR SUMMARY: 1 error
"""

CLEAN = "========= COMPUTE-SANITIZER\nhello\n========= ERROR SUMMARY: 0 errors\n"
CLEAN_RACES = "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n"
REFUSED = "========= Error: unrecognized option '--initcheck-address-space'\n"


@pytest.mark.parametrize(
    ("output", "kind", "lines", "thread"),
    [
        (MEMCHECK, "out-of-bounds", (47,), "by thread (63,0,0) in block (1,0,0)"),
        (RACECHECK, "data-race", (63, 64), ""),
        (INITCHECK, "uninitialised-read", (90,), "by thread (32,0,0) in block (0,0,0)"),
        (SYNCCHECK, "divergent-barrier", (101,), "by thread (0,0,0) in block (0,0,0)"),
    ],
)
def test_a_report_has_its_kind_lines_and_thread(output, kind, lines, thread):
    (report,) = sanitizer.read_reports(output)
    assert (report.kind, report.lines, report.thread) == (kind, lines, thread)
    assert sanitizer.has_summary(output)


@pytest.mark.parametrize("headline", ["ERROR", "Error", "WARN", "Warning"])
def test_a_race_is_one_in_the_words_of_every_version(headline):
    reports = sanitizer.read_reports(RACECHECK.replace("Error:", f"{headline}:"))
    assert [report.kind for report in reports] == ["data-race"]


def test_a_race_that_is_only_information_is_none():
    assert sanitizer.read_reports(RACECHECK.replace("Error:", "Info:")) == []


@pytest.mark.parametrize("output", [CLEAN, CLEAN_RACES])
def test_silence_with_a_summary_is_a_verdict(output):
    assert sanitizer.read_reports(output) == []
    assert sanitizer.has_summary(output)


def test_a_refused_option_is_no_verdict():
    assert sanitizer.refuses_option(REFUSED)
    assert not sanitizer.has_summary(REFUSED)
    assert not sanitizer.refuses_option(MEMCHECK)


def test_only_initcheck_is_asked_for_all_spaces():
    asked = {
        tool: sanitizer.ALL_SPACES[0] in sanitizer.command("compute-sanitizer", tool)
        for tool in sanitizer.TOOLS
    }
    assert [tool for tool, has_option in asked.items() if has_option] == ["initcheck"]
    assert sanitizer.ALL_SPACES[0] not in sanitizer.command("x", "initcheck", all_spaces=False)
