"""The house rules: each is broken once, and the committed lessons break none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gpuedu.course.lint import lint
from gpuedu.syllabus import lesson, ready_lessons

WELCOME = lesson("welcome")


@pytest.mark.parametrize("entry", ready_lessons(), ids=lambda entry: entry.slug)
def test_the_committed_lessons_keep_the_rules(root, entry):
    assert [str(fault) for fault in lint(root, entry)] == []


BREAKS = {
    "a long code cell": ('see("welcome/machine")', "\n".join(f"x{i} = 1" for i in range(26)), "a code cell of 26"),
    "a long text": ("# Look closely at the axis", "#\n".join(f"# Line {i}\n" for i in range(13)) + "# Look", "a text cell of"),
    "a long setup": ('setup("welcome")', 'a = 1\nb = 2\nc = 3\nd = 4\nsetup("welcome")', "a setup cell of"),
    "a setup of another lesson": ('setup("welcome")', 'setup("why-gpus")', "does not call"),
    "an inner module": ("from statistics import median", "from gpuedu.units import GB", "an inner module"),
    "an unknown export": ("import AsyncDevice,", "import AsyncDevise,", "does not export 'AsyncDevise'"),
    "a star": ("from statistics import median", "from statistics import *", "a star import"),
    "an unknown picture": ('see("welcome/machine")', 'see("welcome/machin")', "welcome/machine"),
    "an unknown exercise": ('hint("first-check")', 'hint("frist-check")', "first-check"),
    "a name that a call does not take": (
        'see("welcome/machine")', 'see("welcome/machine", wide=True)', "unexpected keyword argument 'wide'"
    ),
    "an answer too many for a picture": ('see("welcome/machine")', 'see("welcome/machine", 1)', "too many positional"),
    "a reveal before its prediction": ('predict("launch-bound", 27e6)', "pass", "before it is predicted"),
    "a prediction that is none": ('predict("launch-bound", 27e6)', 'predict("launch-bound", "many")', "predict: "),
    "a lesson's number": ("# Look closely at the axis", "# As lesson 3 tells, look", "called by its number"),
    "other imports first": ("from gpuedu import AsyncDevice", "import math\nfrom gpuedu import AsyncDevice", "import from gpuedu first"),
    "an emoji": ("# Look closely at the axis", "# \U0001f680 Look at the axis", "an emoji"),
    "a power in plain text": ("# Look closely at the axis", "# Look 2**10 times at the axis", "make bold"),
    "an item by accident": ("# Look closely at the axis", "# A line of text\n# - 1 at the axis", "an item of a list"),
    "other points": ("· 2 points", "· 3 points", "lacks its line"),
    "no needs": ("**You need**", "You need", "lacks '**You need**'"),
    "other minutes": (f"about {WELCOME.minutes} minutes", "about 6 minutes", f"about {WELCOME.minutes} minutes"),
    "too few minutes": ("2 points · about 10 minutes", "2 points · about 5 minutes", "does not take 5 minutes"),
    "two facts": ("# - Bandwidth counts", "# Bandwidth counts", "has 2 facts"),
    "no sources": ("# ## Sources", "# ## Books", "does not end with"),
    "another question": ("# # What is in this machine?", "# # What is in here?", "does not begin with"),
}  # fmt: skip


@pytest.mark.parametrize("rule", BREAKS)
def test_each_rule_is_held(root, tmp_path: Path, rule):
    old, new, said = BREAKS[rule]
    text = (root / "solutions/00_welcome/00_welcome.py").read_text("utf-8")
    assert old in text
    path = tmp_path / "solutions/00_welcome/00_welcome.py"
    path.parent.mkdir(parents=True)
    path.write_text(text.replace(old, new), "utf-8")
    faults = [str(fault) for fault in lint(tmp_path, WELCOME)]
    assert any(said in fault for fault in faults), faults


def test_a_fault_points_at_its_line(root, tmp_path):
    text = (root / "solutions/00_welcome/00_welcome.py").read_text("utf-8")
    path = tmp_path / "solutions/00_welcome/00_welcome.py"
    path.parent.mkdir(parents=True)
    path.write_text(text.replace('hint("first-check")', 'hint("frist-check")'), "utf-8")
    (fault,) = lint(tmp_path, replace(WELCOME))
    line = path.read_text().splitlines()[fault.line]
    assert line == 'hint("frist-check")'


def test_a_lesson_without_its_package_is_told(root, tmp_path, monkeypatch):
    monkeypatch.setattr("gpuedu.course.lint.registry.__file__", str(tmp_path / "registry.py"))
    faults = [str(fault) for fault in lint(root, WELCOME)]
    assert any("gpuedu/exercises/welcome/ has no __init__.py" in fault for fault in faults), faults
