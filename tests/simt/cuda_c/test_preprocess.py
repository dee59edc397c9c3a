"""Macros and includes: what becomes of the text, and on which line."""

from __future__ import annotations

import pytest

from gpuedu.errors import KernelSourceError
from gpuedu.simt.cuda_c.preprocess import expand


def test_a_line_stays_where_it_was_written():
    code = "#include <math.h>\n#define N 4\n\nint a[N]; // N\n#if N > 3\nint b;\n#else\nint c;\n#endif\nint d;\n"
    lines = expand(code).splitlines()
    assert lines[3].startswith("int a[4];")
    assert (lines[5], lines[9]) == ("int b;", "int d;")
    assert "int c;" not in lines


def test_a_macro_over_several_lines_stands_on_the_line_of_its_use():
    code = "#define ADD(a, b) \\\n    ((a) + \\\n     (b))\nint x = ADD(1,\n  2);\nint y;\n"
    lines = expand(code).splitlines()
    assert "".join(lines[3].split()).startswith("intx=((1)+")
    assert lines[5] == "int y;"


def test_definitions_of_the_options_are_heard():
    assert expand("int a[N];\n#ifdef FAST\nint b;\n#endif", ("N=8", "FAST")).split() == [
        *("int", "a[8];"),
        *("int", "b;"),
    ]


def test_names_of_cuda_are_known_without_a_directive():
    assert expand("float x = INFINITY;") == "float x = __int_as_float(0x7f800000);"
    assert expand("int x = 1;") == "int x = 1;"


def test_alignments_are_kept():
    assert "alignas(16)" in expand("struct __align__(16) S { float x; };")


@pytest.mark.parametrize(
    ("code", "line", "words"),
    [
        ("int a;\n#include <vector>\n", 2, "<vector>"),
        ('\n\n#include "mine.h"\n', 3, "mine.h"),
        ("int a;\n#error stop here\n", 2, "stop here"),
        ("#if 1\nint a;\n", 1, ""),
    ],
)
def test_what_cannot_be_done_is_told_with_its_line(code: str, line: int, words: str):
    with pytest.raises(KernelSourceError) as caught:
        expand(code)
    assert caught.value.line == line
    assert words in str(caught.value)


def test_no_file_is_read():
    with pytest.raises(KernelSourceError):
        expand('#include "/etc/hostname"\n')
