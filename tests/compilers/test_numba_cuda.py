"""numba-cuda beside a NumPy without ``row_stack``, and beside a toolkit that nothing names."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest

from gpuedu.compilers import numba_cuda
from gpuedu.interrupts import may_land

pytest.importorskip("numba_cuda")

WITHOUT = """
import numba.np.arrayobj  # Numba itself asks by NumPy's version
import numpy as np
vars(np).pop("row_stack", None)
np.__all__ = [name for name in np.__all__ if name != "row_stack"]
from gpuedu.compilers import compiled_facts
from gpuedu.compilers.numba_cuda import load_numba_cuda
cuda = load_numba_cuda()
assert cuda.__name__ == "numba.cuda" and "row_stack" not in vars(np)

def copy(source, target):
    i = cuda.grid(1)
    if i < target.size:
        target[i] = source[i]

print(compiled_facts(copy, ["float32[::1]"] * 2, compute_capability=(9, 0)).registers > 0)
"""


def test_kernels_compile_where_numpy_has_row_stack_no_more(root):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, cwd=root, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip() == "True"


@pytest.mark.skipif(not hasattr(np, "row_stack"), reason="NumPy 2.5 or newer")
def test_an_older_numpy_keeps_its_own():
    own = np.row_stack
    numba_cuda.load_numba_cuda()
    assert np.row_stack is own


@pytest.mark.parametrize(
    ("folder", "named", "found"),
    [
        ("nvvm/lib64", {}, "toolkit"),
        ("nvvm/bin", {}, None),
        ("nvvm/lib64", {"CUDA_PATH": "/other"}, None),
    ],
)
def test_a_toolkit_in_its_usual_place_is_named(monkeypatch, tmp_path, folder, named, found):
    monkeypatch.setattr(numba_cuda, "_TOOLKIT", tmp_path / "toolkit")
    (tmp_path / "toolkit" / folder).mkdir(parents=True)
    (tmp_path / "toolkit" / folder / "libnvvm.so.4").touch()
    monkeypatch.setattr(numba_cuda.os, "environ", dict(named))
    numba_cuda.name_toolkit()
    expected = str(tmp_path / found) if found else None
    assert numba_cuda.os.environ.get("CUDA_HOME") == expected


@pytest.mark.parametrize("name", numba_cuda._CONTEXTS)
def test_an_interrupt_waits_until_numba_has_read_its_registries(name):
    numba_cuda.load_numba_cuda()
    context, landed = import_module(name).BaseContext, []

    class Halfway(context):
        def __init__(self):
            pass

        def load_additional_registries(self):
            landed.append(may_land(sys._getframe()))
            raise LookupError

    with pytest.raises(LookupError):
        Halfway().refresh()
    assert landed == [False]
