"""What a player sees of the lessons is what their plays import, and nothing else."""

from __future__ import annotations

import ast
from pathlib import Path

import grimp
import pytest

import gpuedu
from gpuedu.grading.sandbox.hidden import hidden_files, hidden_folders
from gpuedu.multi import network

PACKAGE = Path(gpuedu.__file__).parent
OF_LESSONS = ("gpuedu.exercises.", "gpuedu.experiments.")
EXPERIMENTS = ("gpuedu.experiments.__main__", "gpuedu.experiments.results")
BEGIN = (
    "gpuedu",
    "gpuedu.exercises.capstone.workspace",
    "gpuedu.grading.player.zygote",
    "gpuedu.exercises.registry",
)

HANDED_OUT = (".reader.", ".writer.")
"""Programs of the capstone, which learners get whole, to make them fast."""

SHARED = ("arrays", "kernels", "ranks", "training")
"""Folders of what several lessons share: properties and how they are judged are no answers."""
NO_ANSWERS = frozenset(
    {
        *("inside_bytes", "loading_of", "budget_for"),
        *("read_double_lines", "uneven_faults", "telling_failures", "is_half_a_file"),
        *("shapes_in", "some_values", "loss_sum", "gradient_bytes", "draw_plan", "draw_shown"),
    }
)
"""Functions that judges alone call, and that a player may see: none computes what is asked for."""


def path_of(module):
    return PACKAGE.parent / (module.replace(".", "/") + ".py")


@pytest.fixture(scope="module")
def modules():
    """Modules that plays import, and those that lie beside them."""
    graph = grimp.build_graph("gpuedu", cache_dir=None, exclude_type_checking_imports=True)
    mine = [one for one in graph.modules if one.startswith(OF_LESSONS)]
    judges = [one for one in mine if ".judge" in one]
    for judge in judges:  # whoever loads an exercise may load its judge: not in a player
        for imported in graph.find_modules_directly_imported_by(judge):
            graph.remove_import(importer=judge, imported=imported)
    plays = {one for one in mine if one.endswith(".play")}
    needed = plays | set(BEGIN)
    for one in (*plays, *BEGIN):
        needed |= graph.find_upstream_modules(one)
    in_folders = {one for one in mine if one.count(".") > 2 and path_of(one).exists()}
    experiments = {one for one in mine if one.startswith(OF_LESSONS[1])} - set(EXPERIMENTS)
    return needed, (in_folders | experiments) - set(judges)


@pytest.fixture(scope="module")
def is_hidden():
    folders, files = hidden_folders(PACKAGE), set(hidden_files(PACKAGE))

    def told(module):
        path = path_of(module)
        return path in files or any(path.is_relative_to(one) for one in folders)

    return told


def test_what_plays_import_is_there(modules, is_hidden):
    needed, _ = modules
    assert not [one for one in needed if ".judge" not in one and is_hidden(one)]


def test_names_that_are_loaded_when_asked_for_are_asked_for_by_no_play(modules, is_hidden):
    """The graph of imports doesn't see them."""
    needed, _ = modules
    shown = [one for one in needed if ".judge" not in one and path_of(one).exists()]
    asked = {
        (module, name.name)
        for module in shown
        for one in ast.walk(ast.parse(path_of(module).read_text("utf-8")))
        if isinstance(one, ast.ImportFrom) and one.module == "gpuedu.multi.network"
        for name in one.names
    }
    assert not [one for one in asked if one[1] in network._HOME]


def test_what_no_play_imports_is_hidden(modules, is_hidden):
    needed, there = modules
    shown = (one for one in there - needed if not is_hidden(one))
    seen = sorted(one for one in shown if not any(part in one for part in HANDED_OUT))
    assert not seen, f"name them in {hidden_files.__module__}, or move them to a judge: {seen}"


def test_no_function_is_there_that_judges_alone_call(is_hidden):
    """What one process computes with all that ranks share is what they are judged by."""
    trees = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts): ast.parse(
            path.read_text("utf-8")
        )
        for path in PACKAGE.rglob("*.py")
    }
    shown = {name: tree for name, tree in trees.items() if not is_hidden(name)}
    called = {name for tree in shown.values() for name in names_in(tree)}
    made = {
        (module, one.name)
        for module, tree in shown.items()
        for one in tree.body
        if isinstance(one, ast.FunctionDef) and is_of_a_lesson(module)
    }
    imported = {
        (one.module, name.name)
        for module, tree in trees.items()
        for one in ast.walk(tree)
        if ".judge" in module and isinstance(one, ast.ImportFrom)
        for name in one.names
    }
    seen = sorted((made & imported) - {one for one in made if one[1] in called | NO_ANSWERS})
    assert not seen, f"move them to a judge, or to a module of their own that is hidden: {seen}"


def names_in(tree):
    for one in ast.walk(tree):
        if isinstance(one, ast.Name):
            yield one.id
        elif isinstance(one, ast.Attribute):
            yield one.attr


def is_of_a_lesson(module):
    parts = module.split(".")
    return parts[1] == "exercises" and len(parts) > 3 and parts[2] not in SHARED
