"""What README and docs show can be pasted: blocks of Python run in order, commands are there."""

from __future__ import annotations

import itertools
import re
import shlex
import subprocess

import nbformat
import pytest
import typer

from gpuedu.cli import app
from gpuedu.course.addresses import TAB_URL
from tests.conftest import ROOT
from tests.notebook_kernels import runner

PAGES = ["README.md", "CONTRIBUTING.md"] + [
    f"docs/{name}.md"
    for name in (
        *("browser", "classroom", "grading", "ladder", "not_run"),
        *("questions", "start", "tools", "variants", "ways"),
    )
]
PAGES += [str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("docs/teaching/*.md"))]
FOLDERS = [str(path.relative_to(ROOT)) for path in ROOT.glob("gpuedu/*/README.md")] + [
    "gpuedu/README.md",
    "tests/README.md",
]


def blocks(root, page, language):
    text = (root / page).read_text("utf-8")
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [block for name, block in fenced if name == language]


def commands(root, page):
    """The lines of a page's blocks for a shell, without comments and what files are given."""
    for block in blocks(root, page, ""):
        text = re.sub(r"<<'END'.*?^END$", "", block, flags=re.MULTILINE | re.DOTALL)
        for line in filter(None, text.splitlines()):
            words = shlex.split(line, comments=True)
            is_joint = [word == "&&" for word in words]
            for joint, part in itertools.groupby(zip(is_joint, words, strict=True), lambda p: p[0]):
                if not joint:
                    yield [word for _, word in part]


@pytest.mark.filterwarnings("default")
def test_the_blocks_of_python_run_when_pasted_in_order(root, tmp_path):
    pasted = [block for page in PAGES for block in blocks(root, page, "python")]
    assert len(pasted) >= 4
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(b) for b in pasted])
    done = runner(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    for cell in done.cells:
        assert cell.outputs, cell.source
        assert all(output.get("name") != "stderr" for output in cell.outputs), cell.outputs


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_are_there_with_their_options(root, page):
    targets = re.findall(r"^([a-z-]+):", (root / "Makefile").read_text("utf-8"), re.MULTILINE)
    known = typer.main.get_command(app).commands
    for words in commands(root, page):
        program, *rest = words
        if program == "make":
            assert rest[0] in targets, words
        elif program.endswith("gpuedu"):
            known[rest[0]].make_context(rest[0], list(rest[1:]))
        elif program.endswith("python") and not rest[0].startswith("-"):
            assert (root / rest[0]).is_file(), words


@pytest.mark.parametrize("page", [*PAGES, *FOLDERS])
def test_the_files_that_a_page_links_to_are_there(root, page):
    text = re.sub(r"```.*?```|`[^`]*`", "", (root / page).read_text("utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if not target.startswith("http"):
            assert ((root / page).parent / target).exists(), target


def test_the_site_in_the_browser_is_named_as_it_is_published(root):
    assert f"]({TAB_URL})" in (root / "README.md").read_text("utf-8")
    assert f"]({TAB_URL}playground/index.html)" in (root / "README.md").read_text("utf-8")


def test_make_lab_shows_all_lessons_beside_the_one_it_opens(root):
    """A server that is only given a file shows the folder of that file, which is one lesson."""
    run = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", "lab", "WORKSPACE=workspace"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    _, opens = run.stdout.split("\ncd ")
    assert opens.startswith('"workspace"')
    assert '--ServerApp.root_dir="$PWD"' in opens
    assert opens.rstrip().endswith("00_welcome/00_welcome.ipynb")
