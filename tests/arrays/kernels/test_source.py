from __future__ import annotations

import numpy as np
import pytest

from gpuedu.arrays.kernels.source import MadeSource, Part, constants_in
from gpuedu.compilers.nvrtc_errors import Complaint, CudaCError
from gpuedu.errors import KernelSourceError
from gpuedu.simt import simulate
from gpuedu.simt.cuda_c import CudaCKernel
from gpuedu.trace import Place


@pytest.fixture
def source():
    made = MadeSource("head\nopen { ").learners("first", "one\ntwo").made("; } ")
    return made.learners("second", "three()", "four.size()").made("\nend")


def test_texts_are_put_together(source):
    assert source.code == "head\nopen { one\ntwo; } four.size()\nend"


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ((2, 8), ("first", 1, 1)),
        ((2, 11), ("first", 1, 4)),
        ((2, None), ("first", 1, 0)),
        ((3, 2), ("first", 2, 2)),
        ((3, 9), ("second", 1, 0)),
        ((3, None), ("second", 1, 0)),
        ((2, 3), ("first", 1, 0)),
    ],
)
def test_places_are_found_in_the_learners_text(source, place, expected):
    part, line, column = source.find(*place)
    assert (part.name, line, column) == expected


@pytest.mark.parametrize("place", [(1, 1), (4, 1), (9, 1), (None, None)])
def test_made_lines_are_nobodys(source, place):
    assert source.find(*place) is None


def test_lines_within_a_remedy_and_its_notes_are_the_learners_too(source):
    one = Complaint(
        "error", "bad", 3, 2, remedy="a ; at the end of line 2", notes=("line 4: ends",)
    )
    with pytest.raises(CudaCError) as told, source.errors():
        raise CudaCError((one,))
    (mended,) = told.value.complaints
    assert (mended.line, mended.remedy) == (2, "a ; at the end of line 1")
    assert mended.notes == ("line 4: ends",)  # nobody's line keeps its number


def test_complaints_are_told_once_and_in_the_learners_words():
    made = MadeSource("a = (").learners("map", "x + y").made(");\nb = (").learners("map", "x + y")
    twice = tuple(
        Complaint("error", "bad", line=line, column=6, text=made.code.split("\n")[line - 1])
        for line in (1, 2)
    )
    header = Complaint("warning", "odd", line=1, column=6, file="h.cuh", is_header=True)
    with pytest.raises(CudaCError) as told, made.errors():
        raise CudaCError((*twice, header), details="the log")
    assert told.value.complaints == (
        Complaint("error", "bad", line=1, column=1, text="x + y", file="map"),
        header,
    )
    assert (
        str(told.value) == "map, line 1: bad\n    x + y\n    ^" and told.value.details == "the log"
    )


def test_what_nobody_wrote_is_told_as_it_is(source):
    with pytest.raises(KernelSourceError) as told, source.errors():
        raise KernelSourceError("odd", function="k", line=1, text="head")
    assert (told.value.function, told.value.line) == ("k", 1)
    with pytest.raises(KernelSourceError) as told, source.errors():
        raise KernelSourceError("odd", function="k", line=3, text="two; }", remedy="less")
    assert str(told.value) == "line 1 of `second`: odd\n    three()\n. Try: less"


def test_a_trace_shows_the_learners_text_and_its_findings_their_lines():
    made = MadeSource('extern "C" __global__ void k(float* x) { float* _raw_x = x;\n')
    made.learners("body", "float t = 2;\n_raw_x[threadIdx.x + 1] = t;").made("\n}")
    trace = simulate(CudaCKernel(made.code, "k"), 1, 4, np.zeros(4, np.float32))
    told = made.told(trace)
    assert told.sites[0].text == "x[threadIdx.x + 1]" and trace.sites[0].text.startswith("_raw_x")
    assert told.launch.sources[0].text.split("\n")[:2] == [
        made.code.split("\n")[0],
        "float t = 2;",
    ]
    (finding,) = made.in_parts(told).findings
    assert finding.place == Place("body", 2) and told.findings[0].place == Place("k", 3)
    assert (
        made.in_parts(told).launch.sources[-1].text == "float t = 2;\n_raw_x[threadIdx.x + 1] = t;"
    )


def test_lines_of_a_part_are_counted_from_one():
    assert [Part("p", "a\nb").line(n) for n in (0, 1, 2, 3)] == ["", "a", "b", ""]


def test_constants_are_defined_where_they_are_used_and_nobody_else_does():
    assert [option.partition("=")[0] for option in constants_in("CUDART_INF_F + M_PI")] == [
        "-DM_PI",
        "-DCUDART_INF_F",
    ]
    assert constants_in("x + MY_M_PI") == constants_in("#include <math_constants.h>", "M_PI") == ()
    assert constants_in("#define M_PI 3", "M_PI") == ()
