"""What loads the front end of CUDA C, and what is told where there is no parser."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from gpuedu import needs
from gpuedu.course.proof import Bench
from gpuedu.errors import MissingPackageError
from gpuedu.exercises.examine import examine
from gpuedu.simt.cuda_c import parser, syntax
from gpuedu.simt.cuda_c.outline import read_module
from gpuedu.simt.launch import _cuda_c_program

ROOT = Path(__file__).parents[3]
KERNEL = 'extern "C" __global__ void f(float* x) { x[0] = 1; }'


def run(code):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_check_of_a_python_kernel_loads_no_front_end_of_cuda_c():
    loaded = run(
        """
        import sys
        from pathlib import Path
        from gpuedu.course.proof import Bench
        for exercise in ("thread-index", "stay-on-device", "warp-sum"):
            bench = Bench(Path.cwd(), exercise)
            assert bench.try_answers(bench.solution_cells(), "solution").state == "solved"
        print([name for name in sys.modules if name.startswith("gpuedu.simt.cuda_c.")])
        print([name for name in ("tree_sitter", "tree_sitter_cuda", "pcpp") if name in sys.modules])
        """
    )
    assert loaded.split("\n")[:2] == ["[]", "[]"]


def test_a_source_without_directives_needs_no_preprocessor():
    told = run(
        f"""
        import sys
        for name in ("pcpp", "platformdirs"):
            sys.modules[name] = None
        from gpuedu.simt.cuda_c.outline import read_module
        print(read_module({KERNEL!r}, (), 0).kernels)
        """
    )
    assert told.strip() == "['f']"


def test_a_machine_without_the_binding_is_told_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "tree_sitter_cuda", None)
    parser._native.cache_clear()
    with pytest.raises(MissingPackageError, match="tree-sitter-cuda\\), which is not installed"):
        syntax.parse("int a_text_that_nobody_parsed;")


def test_a_tab_without_a_parser_is_told_which_cell_to_run(monkeypatch):
    monkeypatch.setattr(needs, "IN_TAB", True)
    monkeypatch.setattr(parser, "_why_not", [])
    with pytest.raises(parser.ParserMissingError, match="its parser was not loaded") as one:
        syntax.parse("int another_text_that_nobody_parsed;")
    assert "first cell" in one.value.remedy
    parser.note_failure("no answer from the site")
    with pytest.raises(parser.ParserMissingError, match="in this tab: no answer from the site"):
        syntax.parse("int another_text_that_nobody_parsed;")


def test_a_check_without_a_parser_counts_nothing(monkeypatch):
    bench = Bench(ROOT, "raw-kernel")
    answers = bench.answers(bench.solution_cells(), "solution")

    def no_parser(text):
        raise parser.ParserMissingError("CUDA C cannot be read in this tab")

    monkeypatch.setattr(syntax, "root_of", no_parser)
    syntax.parse.cache_clear()
    read_module.cache_clear()
    _cuda_c_program.cache_clear()
    with pytest.raises(MissingPackageError, match="cannot be read in this tab"):
        examine(bench.exercise, answers)


def test_a_given_parser_is_asked_in_place_of_the_installed_one(monkeypatch):
    monkeypatch.setattr(parser, "_given", [])
    asked = []
    real = parser.root_of("int b;")

    def tree_of(text):
        asked.append(text)
        return real

    parser.use(tree_of)
    assert parser.is_given()
    assert syntax.parse("int a_third_text;") is real
    assert asked == ["int a_third_text;"]
