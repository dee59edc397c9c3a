"""What the page brings to the tab is enough to run a kernel, with NumPy and nothing else."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import gpuedu
from gpuedu.course.lite import node_packages, page
from gpuedu.course.lite.wheels import write_course_wheel, write_installed_wheel
from gpuedu.errors import GpueduError

ALONE = """
import importlib.abc, json, sys

class Nothing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        first = name.partition(".")[0]
        known = first in sys.stdlib_module_names or first in ("numpy", "gpuedu", "jinja2", "markupsafe")
        if not known:
            raise ModuleNotFoundError(f"there is no {name} in a tab", name=name)

sys.meta_path.insert(0, Nothing())
sys.path.insert(0, sys.argv[1])
from gpuedu.playground.tab import Tab
import gpuedu
assert gpuedu.__file__.startswith(sys.argv[1])
tab = Tab()
print(json.dumps([json.loads(tab.answer(question)) for question in json.loads(sys.argv[2])]))
"""


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    folder = tmp_path_factory.mktemp("archive")
    templates = [write_installed_wheel(name, folder) for name in ("jinja2", "markupsafe")]
    wheels = [write_course_wheel(Path(gpuedu.__file__).parent, folder), *templates]
    page.write_archive(folder / "machine.zip", wheels)
    return folder / "machine.zip"


def test_a_kernel_runs_and_is_stepped_through_from_the_archive_alone(archive):
    example = next(one for one in page.examples() if one["name"] == "race")
    fields = {name: example[name] for name in ("source", "grid", "block", "shared", "arguments")}
    questions = [{"ask": "run", **fields}, {"ask": "accesses", "line": 15}, {"ask": "step"},
                 {"ask": "figure", "line": 15}]  # fmt: skip
    command = [
        sys.executable,
        "-c",
        ALONE,
        str(archive),
        json.dumps(list(map(json.dumps, questions))),
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=archive.parent, check=False)
    assert done.returncode == 0, done.stderr
    report, accesses, frame, figure = json.loads(done.stdout)
    assert report["findings"][0]["kind"] == "data-race"
    assert len(accesses["accesses"]) == 3
    assert "stopped at a hazard" in frame["html"]
    assert figure["fault"]["message"] == "matplotlib could not be loaded"


def test_the_archive_is_small_and_has_no_compiled_part(archive):
    with zipfile.ZipFile(archive) as opened:
        names = opened.namelist()
    assert archive.stat().st_size < 1_000_000
    assert not [name for name in names if name.endswith((".so", ".pyd", ".c"))]
    assert {"jinja2/environment.py", "markupsafe/__init__.py"} <= set(names)
    assert sum("license" in name.lower() for name in names) == 2


def test_without_npm_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(node_packages.shutil, "which", lambda name: None)
    with pytest.raises(GpueduError, match="npm, which is not installed here") as told:  # noqa: SIM117
        with node_packages.node_packages():
            pass
    assert "Node.js" in told.value.remedy


def test_the_lock_names_no_registry_and_pins_everything():
    lock = (node_packages.HERE / "package-lock.json").read_text("utf-8")
    assert '"resolved"' not in lock
    packages = json.loads(lock)["packages"]
    assert all("integrity" in packages[name] for name in packages if name)
    wanted = json.loads((node_packages.HERE / "package.json").read_text("utf-8"))
    assert all(v[0].isdigit() for v in wanted["dependencies"].values())
