from __future__ import annotations

import os
import subprocess
import sys

import pytest

from gpuedu import backend


@pytest.fixture
def fresh(monkeypatch):
    for asked in (backend.has_gpu, backend._cuda, backend._cp):
        asked.cache_clear()
    yield monkeypatch
    for asked in (backend.has_gpu, backend._cuda, backend._cp):
        asked.cache_clear()


def test_the_cpu_tier_is_the_machine(fresh):
    fresh.setenv("GPUEDU_TIER", "cpu")
    fresh.setattr(backend, "_gpu_is_usable", lambda: True)
    assert backend.cuda.implementation == "gpuedu" and not backend.has_gpu()


def test_a_gpu_is_numba_cuda_with_its_generators(fresh):
    fresh.delenv("GPUEDU_TIER", raising=False)
    fresh.setattr(backend, "_gpu_is_usable", lambda: True)
    assert backend.cuda.__name__ == "numba.cuda"
    assert callable(backend.cuda.random.create_xoroshiro128p_states)


def test_a_gpu_that_is_asked_for_must_be_there(fresh):
    fresh.setenv("GPUEDU_TIER", "gpu")
    fresh.setattr(backend, "_gpu_is_usable", lambda: False)
    with pytest.raises(backend.BackendError, match="cannot use a GPU"):
        _ = backend.cuda


def test_other_tiers_are_refused(fresh):
    fresh.setenv("GPUEDU_TIER", "tpu")
    with pytest.raises(backend.BackendError, match="tpu"):
        backend.has_gpu()


def test_arrays_are_the_stand_in_without_a_gpu(fresh):
    fresh.setenv("GPUEDU_TIER", "cpu")
    assert backend.cp.implementation == "gpuedu"
    assert float(backend.cp.arange(4).sum()) == 6
    assert backend.cupyx.__name__ == "gpuedu.arrays.cupyx"


def test_arrays_are_cupy_where_there_is_a_gpu(fresh):
    fresh.delenv("GPUEDU_TIER", raising=False)
    fresh.setattr(backend, "_gpu_is_usable", lambda: True)
    asked = []
    fresh.setattr(backend, "import_module", lambda name: asked.append(name) or name)
    assert backend.cp == "cupy" and asked == ["cupy"]


def test_a_gpu_without_cupy_is_told(fresh):
    def missing(name):
        raise ModuleNotFoundError(f"No module named {name!r}")

    fresh.delenv("GPUEDU_TIER", raising=False)
    fresh.setattr(backend, "_gpu_is_usable", lambda: True)
    fresh.setattr(backend, "import_module", missing)
    with pytest.raises(backend.BackendError, match=r"CuPy cannot be imported.*Try: install"):
        _ = backend.cp


def test_without_a_driver_numba_is_not_asked(fresh):
    fresh.setattr(backend, "_driver_is_there", lambda: False)
    fresh.setattr(backend, "import_module", None)
    assert not backend._gpu_is_usable()


def test_the_choice_imports_nothing_heavy():
    code = (
        "import sys; from gpuedu.backend import cp, cuda\n"
        "assert not {'numba', 'torch', 'matplotlib', 'cupy'} & set(sys.modules)"
    )
    subprocess.run(
        [sys.executable, "-c", code], check=True, env=os.environ | {"GPUEDU_TIER": "cpu"}
    )


def test_the_account_of_copies_is_reached_from_here(fresh):
    fresh.setenv("GPUEDU_TIER", "cpu")
    backend.reset_transfers()
    backend.cuda.to_device([1.0, 2.0])
    assert [t.size_bytes for t in backend.transfers()] == [16]
    with pytest.raises(AttributeError, match="cupy"):
        _ = backend.cupy
