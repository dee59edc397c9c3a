"""Both forms of the report: complete, aligned, and with nothing of the learner's as markup."""

import dataclasses
import re

import pytest

from gpuedu.compilers.facts import CompiledFacts
from gpuedu.lens import lens
from gpuedu.lens.text import rows, summary
from gpuedu.trace import Source
from tests.trace import samples

ALL = (
    samples.strided,
    samples.transpose,
    samples.block_sum,
    samples.histogram,
    samples.branches,
    samples.racing,
)


def table(report):
    return str(report).partition("\n\n")[2].splitlines()


@pytest.mark.parametrize("make", ALL)
def test_every_source_line_is_in_the_table_once(make):
    report = lens(make())
    source = report.trace.launch.sources[0]
    body = table(report)[2:]
    assert len(body) == len(source.text.splitlines())
    for line, text in zip(body, source.text.splitlines(), strict=True):
        assert text.strip()[:35] in line


@pytest.mark.parametrize("make", ALL)
def test_a_report_fits_a_terminal(make):
    text = str(lens(make()))
    assert max(map(len, text.splitlines())) <= 125


def test_the_cells_of_a_line():
    cells = {place.line: cells for place, _, cells in rows(lens(samples.transpose()))}
    assert cells[7] == ("32", "32.0", "64", "128 (128)", "1,024 (32)", "")
    assert cells[1] == ("",) * 6


def test_what_did_not_happen_is_not_mentioned():
    names = [name for name, _ in summary(lens(samples.histogram()))]
    assert names == ["global memory", "touched", "atomics", "lanes"]


def test_a_launch_that_was_stopped_says_so():
    report = lens(dataclasses.replace(samples.racing(), complete=False))
    assert "stopped early" in str(report) and "stopped early" in report._repr_html_()


def test_docstrings_and_shared_indentation_are_left_out():
    trace = samples.strided()
    text = (
        '    def strided(a, out, stride):\n        """Doubles.\n\n        More."""\n        i = 1'
    )
    source = Source("strided", "kernel.py", 10, text)
    launch = dataclasses.replace(trace.launch, sources=(source,))
    shown = rows(lens(dataclasses.replace(trace, launch=launch)))
    assert [(place.line, text) for place, text, _ in shown] == [
        (10, "def strided(a, out, stride):"),
        (14, "    i = 1"),
    ]


def test_the_page_holds_the_same_lines_and_findings():
    report = lens(samples.racing())
    page = report._repr_html_()
    assert page.count("<tr") == len(summary(report)) + 1 + len(rows(report))
    assert "hazard" in page and 'class="told hazard"' in page
    assert "<code>cuda.syncthreads()</code>" in page
    assert not re.search(r"color:\s*(black|white|#000|#fff)", page)


def test_nothing_of_the_kernels_becomes_markup():
    trace = samples.racing()
    (source,) = trace.launch.sources
    evil = "<script>alert(1)</script>"
    launch = dataclasses.replace(
        trace.launch,
        kernel=evil,
        sources=(dataclasses.replace(source, text=source.text.replace("s[t] = a[t]", evil)),),
    )
    finding = dataclasses.replace(trace.findings[0], message=f"`{evil}` {evil}", remedy=evil)
    page = lens(dataclasses.replace(trace, launch=launch, findings=(finding,)))._repr_html_()
    assert "<script" not in page and page.count("&lt;script&gt;") >= 4


def facts(**changes):
    base = CompiledFacts(
        *("strided", (9, 0), 40, 0, 0, 0, 0, 0, 0),
        instructions={"fma.rn.f32": 4, "ld.shared.v4.f32": 2, "cvt.f64.f32": 1, "mul.f64": 1},
        by_line={},
        ptx="",
        compilers={},
    )
    return dataclasses.replace(base, **changes)


def test_facts_of_the_compiler_and_occupancy_are_shown_where_given():
    report = lens(samples.strided(), compiled=facts())
    for shown in (str(report), report._repr_html_()):
        assert "40 registers a thread, no spills, 4 fused multiply-adds, 2 vector loads" in shown
        assert "2 float64 instructions (for compute capability 9.0)" in shown
        assert shown.count("40 registers a thread), limited by") == 3
    assert report.occupancy[0].registers_per_thread == 40


def test_spills_are_told_in_bytes():
    text = str(lens(samples.strided(), compiled=facts(spill_stores_bytes=8, stack_bytes=64)))
    assert "spills of 8 bytes stored" in text and "64 bytes of local arrays in memory" in text
