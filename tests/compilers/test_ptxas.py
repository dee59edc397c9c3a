"""Reading ptxas: its report, its refusals, and that it may be missing."""

from __future__ import annotations

import shutil
import stat
import sys

import pytest

from gpuedu.compilers import CompilerMissingError, KernelCompileError, ptxas

REPORT = """\
ptxas info    : 8 bytes gmem
ptxas info    : Function properties for helper
    999 bytes stack frame, 999 bytes spill stores, 999 bytes spill loads
ptxas info    : Compiling entry function 'kernel' for 'sm_90'
ptxas info    : Function properties for kernel
    64 bytes stack frame, 100 bytes spill stores, 92 bytes spill loads
ptxas info    : Used 64 registers, used 2 barriers, 64 bytes cumulative stack size, 8192 bytes smem
ptxas info    : Compile time = 4.588 ms
"""


def fake(tmp_path, output, code):
    """A program that prints a text and ends with a code."""
    path = tmp_path / "ptxas"
    path.write_text(
        f"#!{sys.executable}\nimport sys\nsys.stderr.write({output!r})\nsys.exit({code})\n"
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def assemble(tmp_path, output, code=255):
    return ptxas.assemble("", (9, 0), kernel="tiled", path=fake(tmp_path, output, code))


def test_the_kernels_part_of_the_report_is_read(tmp_path):
    assert assemble(tmp_path, REPORT, 0) == ptxas.Usage(
        registers=64,
        stack_bytes=64,
        spill_stores_bytes=100,
        spill_loads_bytes=92,
        shared_bytes=8192,
        barriers=2,
    )


def test_too_much_shared_memory(tmp_path):
    said = "ptxas error   : Entry function 'k' uses too much shared data (0x124f80 bytes, 0xc000 max)\n"
    with pytest.raises(KernelCompileError, match=r"`tiled` take 1,200,000 bytes.* 49,152"):
        assemble(tmp_path, said)


def test_an_unknown_compute_capability(tmp_path):
    said = "ptxas fatal   : Value 'sm_123' is not defined for option 'gpu-name'\n"
    with pytest.raises(KernelCompileError, match=r"not know compute capability 12\.3"):
        assemble(tmp_path, said)


def test_a_ptxas_that_is_too_old(tmp_path):
    said = (
        "ptxas /dev/stdin, line 9; fatal   : Unsupported .version 9.0; current version is '8.8'\n"
    )
    with pytest.raises(CompilerMissingError, match=r"reads PTX 8\.8, not 9\.0"):
        assemble(tmp_path, said)


def test_any_other_refusal_is_told_in_full(tmp_path):
    said = "ptxas fatal   : Unresolved extern function 'frobnicate'\n"
    with pytest.raises(KernelCompileError, match="Unresolved extern function 'frob") as caught:
        assemble(tmp_path, said)
    assert caught.value.details == said


def test_no_ptxas_anywhere(monkeypatch):
    monkeypatch.setitem(sys.modules, "cuda.pathfinder", None)
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(CompilerMissingError, match=r"ptxas.* is not installed"):
        ptxas.find_ptxas()


def test_ptxas_of_the_path_where_there_is_no_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "cuda.pathfinder", None)
    monkeypatch.setattr(shutil, "which", lambda name: f"/opt/cuda/bin/{name}")
    assert ptxas.find_ptxas() == "/opt/cuda/bin/ptxas"


def test_a_ptxas_that_cannot_be_run(tmp_path):
    with pytest.raises(CompilerMissingError, match="cannot be run"):
        ptxas.assemble("", (9, 0), kernel="k", path=str(tmp_path / "absent"))


def test_its_version(compiler):
    major, minor = map(int, ptxas.version(ptxas.find_ptxas()).split("."))
    assert major >= 12 and minor >= 0
