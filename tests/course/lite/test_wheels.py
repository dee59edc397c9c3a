"""Wheels for the site: whole, the same each time, and with all that lessons use there."""

import base64
import hashlib
import subprocess
import sys
import zipfile
from email.parser import Parser

import pytest

from gpuedu import __version__
from gpuedu.course.lite.notebooks import tab_lessons
from gpuedu.course.lite.wheels import (
    BESIDE,
    is_license,
    write_course_wheel,
    write_installed_wheel,
)
from gpuedu.errors import GpueduError
from gpuedu.syllabus import lessons

USE_ALL = """
import importlib, sys
sys.path.insert(0, {wheel!r})
import gpuedu.course.tab.session, gpuedu.course.tab.release
from gpuedu.exercises import registry
assert gpuedu.__file__.startswith({wheel!r}), gpuedu.__file__
for exercise in {exercises!r}:
    assert registry.load(exercise).judge.points > 0
for module in {modules!r}:
    assert importlib.import_module(f"gpuedu.exercises.{{module}}.pictures").PICTURES
print(registry.load({absent!r}))
"""


@pytest.fixture(scope="module")
def wheel(root, tmp_path_factory):
    return write_course_wheel(root / "gpuedu", tmp_path_factory.mktemp("wheel"))


def about(path):
    with zipfile.ZipFile(path) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("/METADATA")]
        return Parser().parsestr(archive.read(name).decode())


def test_a_wheel_is_the_same_each_time(root, wheel, tmp_path):
    assert write_course_wheel(root / "gpuedu", tmp_path).read_bytes() == wheel.read_bytes()


@pytest.mark.parametrize("name", ["gpuedu", *BESIDE])
def test_a_record_has_the_sum_of_each_file(name, wheel, tmp_path):
    path = wheel if name == "gpuedu" else write_installed_wheel(name, tmp_path)
    with zipfile.ZipFile(path) as archive:
        (record,) = [name for name in archive.namelist() if name.endswith("/RECORD")]
        rows = [row.split(",") for row in archive.read(record).decode().splitlines()]
        assert {row[0] for row in rows} == set(archive.namelist())
        for file, told, size in rows:
            if file != record:
                digest = hashlib.sha256(archive.read(file)).digest()
                assert told == f"sha256={base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}"
                assert int(size) == archive.getinfo(file).file_size


def test_the_course_says_its_version_and_asks_for_little(wheel):
    assert wheel.name == f"gpuedu-{__version__}-py3-none-any.whl"
    told = about(wheel)
    assert told["Version"] == __version__
    assert "numpy>=2.0" in told.get_all("Requires-Dist")
    assert not {"numba", "torch", "typer"} & set(told.get_all("Requires-Dist"))


def test_all_that_lessons_in_a_tab_use_is_in_the_wheel_and_no_other_lesson(wheel, tmp_path):
    absent = next(entry for entry in lessons() if entry.ready and not entry.tab)
    script = USE_ALL.format(
        wheel=str(wheel),
        exercises=[name for entry in tab_lessons() for name in entry.exercises],
        modules=[entry.module for entry in tab_lessons()],
        absent=absent.exercises[0],
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert (
        f"lesson {absent.slug!r} has no play of {absent.exercises[0]!r} here"
        in done.stderr.splitlines()[-1]
    )


def test_an_installed_package_comes_without_what_was_compiled(tmp_path):
    with zipfile.ZipFile(write_installed_wheel("markupsafe", tmp_path)) as archive:
        names = archive.namelist()
    assert "markupsafe/_native.py" in names
    assert not [name for name in names if name.endswith((".so", ".pyd", ".pyc", ".pyi"))]


@pytest.mark.parametrize("name", BESIDE)
def test_each_wheel_beside_carries_its_license(name, tmp_path):
    with zipfile.ZipFile(write_installed_wheel(name, tmp_path)) as archive:
        assert any(is_license(entry) for entry in archive.namelist())


def test_widgets_do_not_ask_for_what_the_page_has(tmp_path):
    needs = about(write_installed_wheel("ipywidgets", tmp_path)).get_all("Requires-Dist")
    assert any(need.startswith("comm") for need in needs)
    assert not [need for need in needs if need.startswith(("jupyterlab", "widgetsnb"))]


def test_a_package_that_is_not_installed_is_named(tmp_path):
    with pytest.raises(GpueduError, match=r"no-such-package is not installed"):
        write_installed_wheel("no-such-package", tmp_path)
    assert not list(tmp_path.iterdir())
