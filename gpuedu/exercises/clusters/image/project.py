"""image: the folder that is packed, and what its steps fetch and make, in round numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from gpuedu.exercises.clusters.context import File, Files
from gpuedu.exercises.clusters.dockerfile import Instruction
from gpuedu.exercises.clusters.installs import (
    APT_LISTS,
    apt,
    cache_mount,
    commands_of,
    keeps_apt_lists,
    keeps_pip_cache,
    pip_arguments,
    pip_cache_mount,
    requirement_files,
)
from gpuedu.exercises.clusters.layers import Work

PROGRAM, PACKAGE, REQUIREMENTS, SECRET = "train.py", "minigpt", "requirements.txt", "pip.conf"
SECRET_ID = "pip"
PACKAGES_MB = {"torch": 4_000.0, "numpy": 19.0, "labtools": 1.0, "einops": 1.0}
"""What pip fetches, with what each needs: torch's includes CUDA's libraries."""
COMPILERS = frozenset(("gcc", "g++", "clang", "build-essential", "cpp", "c++", "tcc"))
_OTHER_MB, _LISTS_MB, _COMPILER_MB, _PACKAGE_MB = 5.0, 20.0, 60.0, 10.0
_BASES_MB = (
    (r"python:.*alpine", 20.0),
    (r"python:.*slim", 45.0),
    (r"python:", 400.0),
    (r"nvidia/cuda:.*devel", 4_000.0),
    (r"nvidia/cuda:.*runtime", 1_500.0),
    (r"nvidia/cuda:", 150.0),
    (r"pytorch/pytorch:.*devel", 8_000.0),
    (r"pytorch/pytorch:", 3_500.0),
)
_ANY_BASE_MB = 50.0


def folder() -> dict[str, File]:
    """The files of the folder, with what they hold on the first day."""
    sizes = {
        PROGRAM: 0.02,
        f"{PACKAGE}/__init__.py": 0.01,
        f"{PACKAGE}/model.py": 0.02,
        f"{PACKAGE}/data.py": 0.02,
        SECRET: 0.01,
        "README.md": 0.01,
        "data/train.bin": 20_000.0,
        "data/val.bin": 200.0,
        "runs/first/last.pt": 1_500.0,
        ".git/objects/pack": 300.0,
    }
    files = {path: File(mb, "the first day") for path, mb in sizes.items()}
    return files | {REQUIREMENTS: File(0.01, "torch numpy labtools")}


def changed(files: Files, path: str, content: str) -> dict[str, File]:
    """The folder after one file was edited, or came."""
    return {**files, path: replace(files.get(path, File(0.02)), content=content)}


def work(one: Instruction, given: Files, files: Files, made_mb: float) -> Work:
    """What a step of a Dockerfile for this folder fetches and makes, in MB as they're sent."""
    if one.name == "FROM":
        size_mb = _base_mb(one.value)
        return Work(size_mb, {one.value: size_mb})
    if one.name in ("COPY", "ADD"):
        return Work(sum(file.size_mb for file in given.values()) + made_mb)
    if one.name != "RUN":
        return Work()
    downloads: dict[str, float] = {}
    layer_mb = _LISTS_MB if keeps_apt_lists(one) else 0.0
    for command in commands_of(one):
        if (done := apt(command)) is not None:
            packages = _apt_mb(*done)
            downloads |= packages
            layer_mb += sum(mb for name, mb in packages.items() if name != APT_LISTS)
        elif (arguments := pip_arguments(command)) is not None:
            packages = _pip_mb(arguments, files)
            downloads |= packages
            kept = 2 if keeps_pip_cache(one, command) else 1
            layer_mb += kept * sum(packages.values())
    return Work(layer_mb, downloads, pip_cache_mount(one) or cache_mount(one, APT_LISTS))


def _base_mb(image: str) -> float:
    name = image.removeprefix("docker.io/").removeprefix("library/")
    sizes = (mb for pattern, mb in _BASES_MB if re.match(pattern, name))
    return next(sizes, 0.0 if name == "scratch" else _ANY_BASE_MB)


def _apt_mb(what: str, packages: list[str]) -> Mapping[str, float]:
    if what == "update":
        return {APT_LISTS: _LISTS_MB}
    if what != "install":
        return {}
    return {one: _COMPILER_MB if one in COMPILERS else _PACKAGE_MB for one in packages}


def _pip_mb(arguments: list[str], files: Files) -> Mapping[str, float]:
    names = [re.split(r"[=<>~!\[]", word)[0] for word in arguments if word[:1].isalpha()]
    read = requirement_files(arguments)
    names = [name for name in names if name not in read and name != "install"]
    if any(path.endswith(REQUIREMENTS) for path in read) and REQUIREMENTS in files:
        names += files[REQUIREMENTS].content.split()
    return {name: PACKAGES_MB.get(name, _OTHER_MB) for name in names}
