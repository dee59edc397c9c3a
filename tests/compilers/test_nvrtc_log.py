"""Reading logs written by hand, in the compiler's form."""

from __future__ import annotations

import pytest

from gpuedu.compilers.nvrtc_log import SOURCE_NAME, read_log

CODE = """__global__ void k(float* a, int n) {
\tint i = thread.x;
        a[i] = "größer" + foo;
    unsigned u = 1;
    if (u >= 0) a[0] = max(n, 2.0f);
}
"""


def log(*lines):
    return "\n".join(lines).replace("kernel.cu(", f"{SOURCE_NAME}(") + "\n\0"


def test_lines_columns_and_texts_are_those_of_the_source():
    first, second = read_log(
        log(
            'kernel.cu(2): error: identifier "thread" is undefined',
            "  \tint i = thread.x;",
            "  \t        ^",
            "",
            'kernel.cu(3): error: identifier "foo" is undefined',
            '          a[i] = "größer" + foo;',
            "                              ^",
            "",
            '2 errors detected in the compilation of "kernel.cu".',
        ),
        CODE,
    )
    assert (first.line, first.column, first.text) == (2, 10, "\tint i = thread.x;")
    assert first.message == 'identifier "thread" is undefined'
    assert (second.line, second.column) == (3, 27)
    assert second.text[second.column - 1 :] == "foo;"
    assert first.notes == second.notes == ()


def test_warnings_carry_their_number_and_errors_none():
    warning, error = read_log(
        log(
            "kernel.cu(5): warning #186-D: pointless comparison of unsigned integer with zero",
            "      if (u >= 0) a[0] = max(n, 2.0f);",
            "            ^",
            "",
            'Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"',
            "",
            'kernel.cu(5): error: more than one instance of overloaded function "max" matches:',
            '            function "max(double, float)" (declared implicitly)',
            '            function "max(float, float)" (declared implicitly)',
            "            argument types are: (int, float)",
            "      if (u >= 0) a[0] = max(n, 2.0f);",
            "                         ^",
        ),
        CODE,
    )
    assert (warning.severity, warning.number, warning.column) == ("warning", 186, 11)
    assert (error.severity, error.number, error.column) == ("error", None, 24)
    assert error.notes == (
        'function "max(double, float)" (declared implicitly)',
        'function "max(float, float)" (declared implicitly)',
        "argument types are: (int, float)",
    )


def test_a_note_belongs_to_the_complaint_before_it():
    (error,) = read_log(
        log(
            "kernel.cu(5): error: expression must have a constant value",
            "      if (u >= 0) a[0] = max(n, 2.0f);",
            "                             ^",
            'kernel.cu(1): note #2689-D: the value of parameter "n" cannot be used as a constant',
            "  __global__ void k(float* a, int n) {",
            "                                  ^",
        ),
        CODE,
    )
    assert (error.line, error.column) == (5, 28)
    assert error.notes == ('line 1: the value of parameter "n" cannot be used as a constant',)


def test_the_end_of_the_source_is_its_last_line_that_is_not_blank():
    (error,) = read_log(
        log(
            'At end of source: error: expected a "}"',
            'kernel.cu(1): note #3196-D: to match this "{"',
            "  __global__ void k(float* a, int n) {",
            "                                     ^",
        ),
        CODE + "\n\n",
    )
    assert (error.line, error.text, error.column) == (6, "}", None)
    assert error.notes == ('line 1: to match this "{"',)


def test_errors_in_headers_name_the_header_and_show_none_of_its_text():
    in_folder, elsewhere = read_log(
        log(
            "/opt/cuda/include/crt/mma.h(752): catastrophic error: cannot open source file",
            '  #include "secret"',
            "           ^",
            "/home/me/other.h(3): error: this declaration has no storage class",
            "  root:x:0:0",
            "  ^",
        ),
        CODE,
        ["/opt/cuda/include"],
    )
    assert (in_folder.file, in_folder.line, in_folder.is_header) == ("crt/mma.h", 752, True)
    assert (elsewhere.file, elsewhere.text, elsewhere.is_header) == ("other.h", "", True)
    assert "root" not in repr((in_folder, elsewhere))
    assert "the header crt/mma.h, line 752" in str(in_folder)


def test_line_directives_rename_and_renumber():
    code = 'int a;\n#line 7 "operation"\nint b = z;\n# 20\nint c = y;\n'
    first, second = read_log(
        log(
            'operation(7): error: identifier "z" is undefined',
            "  int b = z;",
            "          ^",
            'operation(20): error: identifier "y" is undefined',
        ),
        code,
    )
    assert (first.file, first.line, first.text, first.is_header) == (
        "operation",
        7,
        "int b = z;",
        False,
    )
    assert (second.line, second.text) == (20, "int c = y;")


def test_a_line_of_the_source_that_looks_like_a_complaint_is_none():
    code = "int a = 3;\nkernel.cu(3): error: planted\n"
    complaints = read_log(
        log(
            "kernel.cu(2): error: identifier kernel is undefined",
            "  kernel.cu(3): error: planted",
            "  ^",
        ),
        code,
    )
    assert [one.line for one in complaints] == [2]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("nvrtc: error: unrecognized option --foo found", "unrecognized option --foo found"),
        (
            "ptxas error   : Entry function 'k' uses too much shared data (0x27100 bytes)",
            "Entry function 'k' uses too much shared data (160,000 bytes)",
        ),
        ("ptxas fatal   : Unresolved extern function 'f'", "Unresolved extern function 'f'"),
        (
            "ptxas application ptx input, line 26; error   : Not a name of any known instruction",
            "Not a name of any known instruction",
        ),
    ],
)
def test_complaints_of_the_tools_have_no_line(said, message):
    (error,) = read_log(said, CODE)
    assert (error.severity, error.message, error.line) == ("error", message, None)


@pytest.mark.parametrize("nothing", ["", "\0", "\n \0", "1 error detected in the compilation."])
def test_no_complaints(nothing):
    assert read_log(nothing, CODE) == ()
