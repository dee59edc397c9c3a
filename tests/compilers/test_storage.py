"""Facts on disk: whole or absent, never an error."""

from __future__ import annotations

import os
import sys

import pytest

from gpuedu.compilers import CompiledFacts, storage

FACTS = CompiledFacts(
    kernel="scale",
    compute_capability=(9, 0),
    registers=40,
    stack_bytes=8,
    spill_stores_bytes=4,
    spill_loads_bytes=12,
    shared_bytes=1024,
    constant_bytes=64,
    barriers=1,
    instructions={"fma.rn.f32": 3, "ld.global.v4.f32": 1, "ld.global.v1.f32": 2},
    by_line={7: {"fma.rn.f32": 3}},
    ptx=".entry scale\n{ ret; } // größer",
    compilers={"numba": "0.61"},
)


def test_what_is_stored_is_loaded():
    storage.store("key", FACTS)
    assert storage.load("key") == FACTS
    assert storage.load("other") is None


@pytest.mark.parametrize("damage", ["", "{}", "null", "[]", "\n", "0\n{}", "\x00" * 50, "½"])
def test_a_damaged_file_counts_as_absent_and_is_rewritten(cache, damage):
    storage.store("key", FACTS)
    (file,) = cache.iterdir()
    file.write_text(damage, "utf-8")
    assert storage.load("key") is None
    storage.store("key", FACTS)
    assert storage.load("key") == FACTS


def test_a_file_cut_short_or_altered_counts_as_absent(cache):
    storage.store("key", FACTS)
    (file,) = cache.iterdir()
    whole = file.read_bytes()
    for broken in (whole[:-1], whole[: len(whole) // 2], whole.replace(b"40", b"41"), whole[1:]):
        file.write_bytes(broken)
        assert storage.load("key") is None


def test_a_whole_file_of_another_form_counts_as_absent(cache):
    cache.mkdir(parents=True)
    body = '{"kernel": "scale"}'
    (cache / "key.json").write_text(f"{storage._checksum(body)}\n{body}", "utf-8")
    assert storage.load("key") is None


def test_no_draft_stays_behind(cache):
    storage.store("key", FACTS)
    storage.store("key", FACTS)
    assert [file.name for file in cache.iterdir()] == ["key.json"]


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path, monkeypatch):
    occupied = tmp_path / "occupied"
    occupied.write_text("a file where the folder should be")
    monkeypatch.setattr(storage, "cache_folder", lambda: occupied / "compiled")
    storage.store("key", FACTS)
    assert storage.load("key") is None


@pytest.mark.skipif(
    sys.platform == "win32" or not hasattr(os, "geteuid") or os.geteuid() == 0,
    reason="root may write everywhere",
)
def test_a_folder_that_cannot_be_written_to_is_no_error(cache):
    cache.mkdir(parents=True)
    cache.chmod(0o500)
    try:
        storage.store("key", FACTS)
        assert storage.load("key") is None
    finally:
        cache.chmod(0o700)


def test_the_folder_does_not_grow_for_ever(cache, monkeypatch):
    monkeypatch.setattr(storage, "MOST_FILES", 10)
    for i in range(30):
        storage.store(f"key{i}", FACTS)
        os.utime(cache / f"key{i}.json", (i, i))
    kept = {file.stem for file in cache.iterdir()}
    assert len(kept) <= 10 and "key29" in kept and "key0" not in kept


def test_counts_are_asked_for_by_kind():
    assert FACTS.count("fma.f32") == FACTS.count("fma") == FACTS.count("fma", line=7) == 3
    assert FACTS.count("ld.global") == 3
    assert FACTS.count("ld.global.v4") == 1
    assert FACTS.count("ld.shared") == FACTS.count("f32") == FACTS.count("fma", line=8) == 0
