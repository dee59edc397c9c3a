"""Where a machine keeps its numbers: of a GPU at hand, of one that tells little, and of none."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from gpuedu import backend
from gpuedu.exercises.registry import load_picture
from gpuedu.figures.style import alt_text
from gpuedu.hardware.caches import Cache
from gpuedu.units import KIB, MIB
from tests.figures.legibility import overlapping_texts, texts_outside

GPU = {
    "name": b"A GPU of one's own",
    "MULTIPROCESSOR_COUNT": 10,
    "MAX_REGISTERS_PER_MULTIPROCESSOR": 64 * KIB,
    "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": 100 * KIB,
    "L2_CACHE_SIZE": 4 * MIB,
}


def plant(monkeypatch, **gpu):
    context = SimpleNamespace(get_memory_info=lambda: SimpleNamespace(total=8e9))
    found = SimpleNamespace(
        get_current_device=lambda: SimpleNamespace(**gpu), current_context=lambda: context
    )
    monkeypatch.setattr(backend, "has_gpu", lambda: True)
    monkeypatch.setattr(backend, "cuda", found, raising=False)


@pytest.fixture
def no_caches(monkeypatch):
    monkeypatch.setattr("gpuedu.hardware.machine.find_caches", lambda: ())


def test_without_a_gpu_a_documented_one_is_drawn():
    alt = alt_text(load_picture("welcome/places")())
    assert "GPU: registers 256 KiB in each SM, 33 MiB in all" in alt
    assert "GPU: memory 80 GB" in alt


def test_a_gpu_at_hand_is_drawn_as_its_driver_tells(monkeypatch):
    plant(monkeypatch, **GPU)
    ax = load_picture("welcome/places")()
    assert "GPU: registers 256 KiB in each SM, 2.5 MiB in all" in alt_text(ax)
    assert "GPU: shared memory 100 KiB in each SM, 1000 KiB in all" in alt_text(ax)
    assert "A GPU of one's own, 10 SMs" in ax.figure.get_supxlabel()


def test_a_gpu_that_tells_too_little_gives_way_to_a_documented_one(monkeypatch):
    plant(monkeypatch, **{name: value for name, value in GPU.items() if name != "L2_CACHE_SIZE"})
    assert "GPU: memory 80 GB" in alt_text(load_picture("welcome/places")())


def test_where_the_system_lists_no_caches_there_is_still_a_picture(no_caches):
    ax = load_picture("welcome/places")()
    assert "cache 48" not in alt_text(ax) and "GPU: L2 cache 50 MiB" in alt_text(ax)
    assert overlapping_texts(ax) == [] and texts_outside(ax) == []


def test_several_copies_of_a_cache_are_told(monkeypatch):
    caches = (Cache(1, 8, 8 * 32 * KIB), Cache(3, 1, 32 * MIB))
    monkeypatch.setattr("gpuedu.hardware.machine.find_caches", lambda: caches)
    alt = alt_text(load_picture("welcome/places")())
    assert "CPU: L1 cache 8 x 32 KiB" in alt and "CPU: L3 cache 32 MiB" in alt
