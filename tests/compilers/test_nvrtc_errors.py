"""How complaints about CUDA C are shown."""

from __future__ import annotations

from gpuedu.compilers import Complaint, CudaCError, KernelCompileError


def complaint(line, message, **more):
    return Complaint("error", message, line=line, **more)


def test_the_caret_stands_under_the_column_without_the_margin():
    shown = str(complaint(3, "expected", column=14, text="\t    int ä = thread.x;"))
    first, text, caret = shown.split("\n")
    assert first == "line 3: expected"
    assert text == "    int ä = thread.x;"
    assert text.index("thread") == caret.index("^") == 12


def test_tabs_inside_of_a_line_stay_tabs():
    shown = str(complaint(1, "no", column=7, text="int\ta\t= b;"))
    assert shown.split("\n")[2] == "       \t \t^"


def test_a_column_beyond_the_line_and_an_empty_line_are_shown():
    assert str(complaint(1, "no", column=40, text="int a")).endswith("int a\n         ^")
    assert str(complaint(1, "no", column=4, text="  ")) == "line 1: no"


def test_an_error_tells_the_first_complaints_and_the_first_remedy():
    error = CudaCError(
        (
            Complaint("warning", "unused", line=1),
            complaint(4, "one"),
            complaint(5, "two", remedy="a ;"),
            complaint(6, "three", remedy="other"),
        ),
        details="log",
    )
    assert isinstance(error, KernelCompileError)
    assert str(error) == "line 4: one\nline 5: two\nline 6: three\nTry: for line 5: a ;"
    assert (error.line, error.details, error.remedy) == (4, "log", "for line 5: a ;")
    assert [one.message for one in error.warnings] == ["unused"]
    assert [one.line for one in error.errors] == [4, 5, 6]


def test_many_errors_are_cut_and_none_is_still_an_error():
    many = CudaCError(tuple(complaint(line, "no") for line in range(1, 101)))
    assert str(many).splitlines()[-1] == "and 95 more"
    assert len(many.errors) == 100
    assert str(CudaCError(())) == "the compiler refuses the source"
    assert CudaCError(()).line is None


def test_the_remedy_of_the_first_error_needs_no_line():
    assert CudaCError((complaint(4, "one", remedy="a ;"), complaint(5, "two"))).remedy == "a ;"
    assert CudaCError((complaint(4, "one"),), remedy="given").remedy == "given"
