"""A folder of Pyodide is looked at before anything is built, and copied as bytecode."""

import hashlib
import json
import zipfile

import pytest

from gpuedu.course.lite import own_pyodide
from gpuedu.errors import GpueduError

LOCK = {
    "packages": {
        "matplotlib": {
            "depends": ["numpy", "python_dateutil", "pytz"],
            "file_name": "m.whl",
            "sha256": "0",
        },
        "python-dateutil": {"depends": [], "file_name": "d.whl", "sha256": "0"},
        "numpy": {"depends": [], "file_name": "n.whl", "sha256": "0"},
        "pytz": {"depends": [], "file_name": "p.whl", "sha256": "of pytz"},
    }
}


def archive(path, **files):
    with zipfile.ZipFile(path, "w") as written:
        for name, text in files.items():
            written.writestr(name.replace("__", "/") + ".py", text)


@pytest.fixture
def folder(tmp_path):
    """What looks like a folder of Pyodide."""
    made = tmp_path / "pyodide"
    made.mkdir()
    for name in ("pyodide.js", "pyodide.mjs", "pyodide.asm.wasm"):
        (made / name).write_text(name, "utf-8")
    (made / "pyodide-lock.json").write_text(json.dumps(LOCK), "utf-8")
    archive(made / "python_stdlib.zip", json__decoder="one = 1")
    archive(made / "m.whl", m__used="two = 2", m__unused="three = 3")
    archive(made / "d.whl", d="six = 6")
    archive(made / "n.whl", n__used="four = 4")
    archive(made / "p.whl", p="five = 5")
    return made


@pytest.fixture
def compiler(monkeypatch):
    """In place of Node.js: bytecode for each module whose name has no ``unused`` in it."""

    def compile_archives(packages, folder, pyodide, names, modules):
        for path in [*folder.iterdir()]:
            with zipfile.ZipFile(path) as whole, zipfile.ZipFile(f"{path}.zip", "w") as compiled:
                for name in (one for one in whole.namelist() if "unused" not in one):
                    home, _, file = name.rpartition("/")
                    kept = f"{home}/__pycache__/{file[:-3]}.cpython-312.pyc"
                    compiled.writestr(kept, b"code of " + name.encode())

    monkeypatch.setattr(own_pyodide, "compile_archives", compile_archives)


def test_what_is_imported_is_there_as_bytecode_and_the_rest_as_sources(folder, compiler, tmp_path):
    out = tmp_path / "out"
    own_pyodide.copy_pyodide(folder, out, ["matplotlib"], tmp_path)
    with zipfile.ZipFile(out / "m.whl") as wheel:
        assert sorted(wheel.namelist()) == ["m/unused.py", "m/used.pyc"]
        assert wheel.read("m/used.pyc") == b"code of m/used.py"
    with zipfile.ZipFile(out / "python_stdlib.zip") as library:
        assert library.namelist() == ["json/decoder.pyc"]
    assert (out / "pyodide.js").read_text("utf-8") == "pyodide.js"


def test_the_lock_file_has_the_sums_of_what_is_there(folder, compiler, tmp_path):
    out = tmp_path / "out"
    own_pyodide.copy_pyodide(folder, out, ["matplotlib"], tmp_path)
    packages = json.loads((out / "pyodide-lock.json").read_text("utf-8"))["packages"]
    for name in ("matplotlib", "numpy"):
        data = (out / packages[name]["file_name"]).read_bytes()
        assert packages[name]["sha256"] == hashlib.sha256(data).hexdigest()
    assert packages["matplotlib"]["depends"] == ["numpy", "python_dateutil"]
    assert packages["pytz"]["sha256"] == "of pytz"
    assert (out / "p.whl").read_bytes() == (folder / "p.whl").read_bytes()


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ("pyodide.js", "is not a folder of Pyodide: it has no pyodide.js"),
        ("pyodide-lock.json", "is not a folder of Pyodide: it has no pyodide-lock.json"),
        ("n.whl", "has Pyodide without its package numpy"),
    ],
)
def test_a_folder_that_lacks_something_is_refused(folder, missing, said):
    own_pyodide.require_pyodide(folder, ["matplotlib"])
    (folder / missing).unlink()
    with pytest.raises(GpueduError, match=said):
        own_pyodide.require_pyodide(folder, ["matplotlib"])


def test_a_package_that_no_lock_file_lists_is_told(folder):
    with pytest.raises(GpueduError, match="without its package jedi") as one:
        own_pyodide.require_pyodide(folder, ["jedi"])
    assert "full release" in one.value.remedy
