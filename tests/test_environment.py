"""environment.yml, pyproject.toml and constraints.txt say the same."""

from __future__ import annotations

import re
import tomllib

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version


def requirements(root):
    """What the lessons need, and what `make lab` adds for JupyterLab and classes."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    entries = [*project["dependencies"], *extras["lessons"], *extras["lab"]]
    return by_name(entry for entry in map(Requirement, entries) if entry.name != "gpuedu")


def by_name(entries):
    """conda writes some names with an underscore, where pip has a dash."""
    return {canonicalize_name(entry.name): entry for entry in entries}


def conda_requirements(root):
    entries = yaml.safe_load((root / "environment.yml").read_text("utf-8"))["dependencies"]
    plain = [
        entry for entry in entries if isinstance(entry, str) and not entry.startswith("python=")
    ]
    (by_pip,) = (entry["pip"] for entry in entries if isinstance(entry, dict))
    plain += [entry for entry in by_pip if not entry.startswith("--")]
    return by_name(map(Requirement, plain)), by_pip


def test_conda_and_pip_have_the_same_packages_and_bounds(root):
    wanted = requirements(root)
    found, by_pip = conda_requirements(root)
    assert '--editable ".[cluster,compilers]"' in by_pip
    assert set(found) - {"pip"} == set(wanted)
    for name, entry in wanted.items():
        assert found[name].specifier == entry.specifier, name


def test_conda_takes_a_python_that_the_project_names(root):
    """One version, as Binder asks for: it overlooks a range, and starts from an older Python."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    named = [c.rsplit(":", 1)[-1].strip() for c in project["classifiers"] if "Python :: 3." in c]
    assert named == ["3.11", "3.12", "3.13"]
    entries = yaml.safe_load((root / "environment.yml").read_text("utf-8"))["dependencies"]
    assert entries[0] == "python=3.11"


def test_every_dependency_is_pinned_within_its_bounds(root):
    pins = {}
    for line in (root / "constraints.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            name, version = line.split("==")
            pins[re.sub(r"[-_.]+", "-", name).lower()] = Version(version.split(";")[0].strip())
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [entry for group in project["optional-dependencies"].values() for entry in group]
    for entry in map(Requirement, [*project["dependencies"], *extras]):
        name = re.sub(r"[-_.]+", "-", entry.name).lower()
        if name == "gpuedu":  # an extra that brings another one
            continue
        if name == "triton":  # each CUDA build of PyTorch needs its own version
            assert name not in pins
            continue
        assert name in pins, f"{name} has no pin"
        assert entry.specifier.contains(str(pins[name])), name


def test_the_packages_that_were_asked_for_are_there(root):
    asked = {"jupyterlab", "torch", "numba", "matplotlib", "nbgrader", "pytest"}
    assert asked <= set(requirements(root))
