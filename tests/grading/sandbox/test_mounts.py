"""What of this machine a learner's code can read: Python and the course, and nothing beside them."""

from __future__ import annotations

import subprocess
import sys
import venv
from itertools import pairwise
from pathlib import Path

import pytest

from gpuedu.grading.sandbox import bubblewrap, mounts
from gpuedu.grading.sandbox.limits import SandboxError

LOOKS = """
import sys
from pathlib import Path
copies = Path(sys.prefix).glob("lib*/python*/site-packages/gpuedu/*")
print(sorted(one.name for one in (*Path(sys.prefix).iterdir(), *copies)))
"""
ENTERS = """
import subprocess, sys
from pathlib import Path
from gpuedu.grading.sandbox import bubblewrap, copies, mounts
with copies.FolderForACopy() as made:
    course = copies.copy_course(mounts.PACKAGE, Path(made))
    command = bubblewrap.command([sys.executable, "-c", sys.argv[1]], course)
    print(subprocess.run(command, capture_output=True, text=True, check=True).stdout, end="")
"""


@pytest.mark.parametrize("by_a_link", [False, True])
def test_a_class_in_an_environment_is_not_seen_by_its_learners(by_a_link, tmp_path, zygote):
    """``python -m venv .`` where submissions and verdicts are, and a path with a link in it."""
    folder = tmp_path / "class"
    venv.create(folder, with_pip=False)
    (packages,) = folder.glob("lib/python*/site-packages")
    ours = [str(mounts.PACKAGE.parent), *(one for one in sys.path if "site-packages" in one)]
    (packages / "ours.pth").write_text("\n".join(ours))
    (packages / "gpuedu").mkdir()  # another copy of the course, which its own is not
    (packages / "gpuedu" / "judge.py").write_text("an answer")
    for name in ("submitted", "verdicts", "src", "etc"):
        (folder / name).mkdir()
    (folder / "pip.conf").write_text("a password")
    if by_a_link:
        (tmp_path / "link").symlink_to(folder)
        folder = tmp_path / "link"
    told = subprocess.run(
        [folder / "bin" / "python", "-c", ENTERS, LOOKS], capture_output=True, text=True, check=True
    )
    seen = set(eval(told.stdout))
    assert {"bin", "lib", "pyvenv.cfg"} <= seen
    assert not seen & {"submitted", "verdicts", "src", "etc", "pip.conf", "judge.py"}


def test_the_copy_is_what_is_seen_under_every_name(tmp_path, monkeypatch, zygote):
    link = tmp_path / "link"
    link.symlink_to(mounts.PACKAGE.parent)
    monkeypatch.setattr(bubblewrap, "mounted", lambda: [mounts.PACKAGE, link])
    words = bubblewrap.command(["true"], tmp_path / "copy")
    bound = {
        name: what
        for option, what, name in zip(words, words[1:], words[2:], strict=False)
        if option == "--ro-bind"
    }
    for name in (mounts.PACKAGE, link / mounts.PACKAGE.name):
        assert bound[str(name)] == str(tmp_path / "copy")


def test_another_copy_of_the_course_is_not_there(tmp_path, monkeypatch, zygote):
    copy = tmp_path / "lib" / "python3.11" / "site-packages" / "gpuedu"
    copy.mkdir(parents=True)
    (copy.parent / "other").mkdir()
    monkeypatch.setattr(mounts, "of_python", lambda: [tmp_path / "lib"])
    assert mounts.other_copies() == [copy]
    words = bubblewrap.command(["true"], tmp_path)
    assert ("--tmpfs", str(copy)) in set(pairwise(words))


def test_the_systems_own_settings_and_exchange_are_not_there(tmp_path, zygote):
    program = f"from pathlib import Path\nfor one in {mounts.EMPTIED}:\n"
    program += "    assert not Path(one).exists() or not any(Path(one).iterdir()), one\n"
    command = bubblewrap.command([sys.executable, "-c", program], tmp_path)
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr


def test_a_class_where_learners_can_read_is_refused(tmp_path):
    mounts.require_out_of_sight([tmp_path, mounts.PACKAGE.parent])
    for place in (Path("/usr/local/class/verdicts"), mounts.PACKAGE / "verdicts"):
        with pytest.raises(SandboxError, match="where learners' code can read"):
            mounts.require_out_of_sight([tmp_path, place])
    (tmp_path / "link").symlink_to("/usr")
    with pytest.raises(SandboxError, match="lies in /usr"):
        mounts.require_out_of_sight([tmp_path / "link" / "verdicts"])


def test_a_python_below_a_closed_folder_is_refused_by_name(monkeypatch):
    def exists(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", exists)
    with pytest.raises(SandboxError, match="this user may not enter a folder above it") as told:
        mounts.of_python()
    assert "chmod o+x" in told.value.remedy
