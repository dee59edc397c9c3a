"""The package as it is installed from a wheel: the notebooks and data files come with it."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile

from gpuedu.syllabus import ready_lessons


def test_a_wheel_carries_what_a_learner_needs(root, tmp_path):
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=root,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        archive.extractall(tmp_path / "site")
    for entry in ready_lessons():
        assert f"gpuedu/course/notebooks/{entry.folder}/{entry.folder}.ipynb" in names
    for data in ("syllabus.toml", "hardware/devices.toml", "exercises/card.html.j2"):
        assert f"gpuedu/{data}" in names
    assert not any(name.startswith(("tests", "solutions")) for name in names)
    done = subprocess.run(
        [sys.executable, "-m", "gpuedu", "start", str(tmp_path / "mine")],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    first = ready_lessons()[0].folder
    assert (tmp_path / "mine" / first / f"{first}.ipynb").is_file()
