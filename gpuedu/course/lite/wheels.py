"""Wheels for the site: gpuedu as a tab needs it, and the small pure packages beside it.

They are made from what is installed here, so a site has the versions that were tested, with their
licenses. Two builds give the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import zipfile
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path, PurePosixPath

from gpuedu import __version__
from gpuedu.errors import GpueduError
from gpuedu.syllabus import lessons

BESIDE = ("comm", "ipywidgets", "jinja2", "markupsafe", "pcpp", "platformdirs")
"""Distributions that the tab needs and Pyodide may lack. All are pure, or work without their
compiled part."""

FOR_CUDA_C = "pcpp"
"""Those that only lessons with kernels in CUDA C need."""

_NEEDS = ("jinja2", "numpy>=2.0", "pcpp", "platformdirs")
_IN_THE_PAGE = ("jupyterlab_widgets", "jupyterlab-widgets", "widgetsnbextension")
"""What ipywidgets asks for that JupyterLite's page has already."""

_LEFT_OUT = (
    *("cli.py", "__main__.py", "grading", "experiments", "recording"),
    *("training", "multi", "profiles", "exercises/training", "exercises/ranks"),
)
"""What needs PyTorch, processes or a terminal. Of ``course`` only what a session uses is there."""

_UNUSED = frozenset({"__pycache__", "right", "wrong", "wrong.diff"})
"""Names of files and folders of which nothing is needed, wherever they are."""

_OF_COURSE = ("course/__init__.py", "course/tab", "course/workspace")
DATE = (1980, 1, 1, 0, 0, 0)
_COMPILED = (".so", ".pyd", ".pyc", ".c", ".pyi")


def write_course_wheel(package: Path, folder: Path) -> Path:
    """Write the course's wheel, without what a tab never uses; returns the file.

    ``package`` is the folder of the sources, ``folder`` where the wheel goes.
    """
    files = {
        f"gpuedu/{path.relative_to(package).as_posix()}": path.read_bytes()
        for path in sorted(package.rglob("*"))
        if path.is_file() and _is_wanted(path.relative_to(package))
    }
    needs = "".join(f"Requires-Dist: {need}\n" for need in _NEEDS)
    said = f"Metadata-Version: 2.1\nName: gpuedu\nVersion: {__version__}\n{needs}"
    return _write(folder, "gpuedu", __version__, said, files)


def _is_wanted(path: Path) -> bool:
    elsewhere = [f"exercises/{entry.module}" for entry in lessons() if not entry.tab]
    if _UNUSED & {*path.parts} or _is_below(path, [*_LEFT_OUT, *elsewhere]):
        return False
    return path.parts[0] != "course" or _is_below(path, _OF_COURSE)


def _is_below(path: Path, names: Iterable[str]) -> bool:
    name = path.as_posix()
    return any(name == one or name.startswith(f"{one}/") for one in names)


def write_installed_wheel(name: str, folder: Path) -> Path:
    """An installed pure distribution as a wheel again.

    Raises:
        GpueduError: it is not installed, or came without a list of its files.
    """
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        raise GpueduError(f"{name} is not installed", remedy="`make lite` installs it") from None
    files = {
        entry.as_posix(): Path(str(found.locate_file(entry))).read_bytes()
        for entry in found.files or ()
        if ".." not in entry.parts
        and (".dist-info" not in entry.parts[0] or is_license(entry.as_posix()))
        and entry.suffix not in _COMPILED
    }
    if not files:
        raise GpueduError(f"{name} has no list of its files", remedy=f"install {name} again")
    about = (found.read_text("METADATA") or "").splitlines(keepends=True)
    needs = tuple(f"Requires-Dist: {name}" for name in _IN_THE_PAGE)
    text = "".join(line for line in about if not line.startswith(needs))
    return _write(folder, name, found.version, text, files)


def is_license(name: str) -> bool:
    """True if a file of a distribution is its license.

    >>> is_license("jinja2-3.1.6.dist-info/licenses/LICENSE.txt"), is_license("jinja2/lexer.py")
    (True, False)
    """
    return ".dist-info/" in name and "license" in name.rpartition("/")[2].lower()


def add_bytecode(wheel: Path, *, keep_sources: bool) -> None:
    """Put the bytecode that ``compile_in_tab`` left beside a wheel into it.

    With it a tab imports the course in less than half the time. The course also keeps its sources,
    because the SIMT machine reads those of kernels.
    """
    beside = Path(f"{wheel}.zip")
    name, version, _ = wheel.name.split("-", 2)
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(wheel) as whole, zipfile.ZipFile(beside) as compiled:
        about = whole.read(f"{info}/METADATA").decode()
        made_here = [f"{info}/{one}" for one in ("METADATA", "WHEEL", "RECORD")]
        files = {one: whole.read(one) for one in whole.namelist() if one not in made_here}
        bytecode = {entry: compiled.read(entry) for entry in compiled.namelist()}
    files |= bytecode
    if not keep_sources:
        files = without_sources(files)
    _write(wheel.parent, name, version, about, files)
    beside.unlink()


def without_sources(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Files with the bytecode of each module in place of its source, where both exist.

    >>> without_sources({"b.py": b"source", "__pycache__/b.cpython-312.pyc": b"code", "c.py": b""})
    {'b.pyc': b'code', 'c.py': b''}
    """
    named = {name: _source_of(name) for name in files if "/__pycache__/" in f"/{name}"}
    sources = set(named.values())
    return {
        f"{named[name]}c" if name in named else name: data
        for name, data in files.items()
        if name not in sources
    }


def _source_of(name: str) -> str:
    path = PurePosixPath(name)
    return str(path.parent.parent / f"{path.stem.partition('.')[0]}.py")


def _write(folder: Path, name: str, version: str, about: str, files: Mapping[str, bytes]) -> Path:
    stem = f"{name.replace('-', '_')}-{version}"
    info = f"{stem}.dist-info"
    kind = "Wheel-Version: 1.0\nGenerator: gpuedu\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    whole = {**files, f"{info}/METADATA": about.encode(), f"{info}/WHEEL": kind.encode()}
    whole[f"{info}/RECORD"] = _record(whole.items(), f"{info}/RECORD").encode()
    path = folder / f"{stem}-py3-none-any.whl"
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for entry, data in whole.items():
            wheel.writestr(zipfile.ZipInfo(entry, DATE), data, zipfile.ZIP_DEFLATED, 9)
    return path


def _record(files: Iterable[tuple[str, bytes]], own: str) -> str:
    rows = []
    for name, data in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(data)}")
    return "\n".join([*rows, f"{own},,", ""])
