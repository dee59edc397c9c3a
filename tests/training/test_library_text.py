"""The text of the standard library: read in order, within limits, never executed."""

from __future__ import annotations

import sys

import pytest
import torch

from gpuedu.training import library_text
from gpuedu.training.errors import DataUnavailableError
from gpuedu.training.library_text import (
    LEAST,
    MODULES,
    MOST_OF_ONE,
    VOCABULARY,
    decode,
    encode,
    load_library,
    read_texts,
)


def test_targets_are_the_inputs_one_character_on():
    text = load_library(context=48, most=150_000)
    for split in (text.train, text.held_out):
        assert split.inputs.dtype == torch.int64
        assert torch.equal(split.inputs[:, 1:], split.targets[:, :-1])
        assert torch.equal(split.inputs[1:, 0], split.targets[:-1, -1])
        assert split.inputs.max() < len(VOCABULARY)
    assert 0.08 < len(text.held_out) / len(text.train) < 0.14


def test_a_machine_reads_the_same_text_twice_within_the_limit():
    first = read_texts(130_000)
    assert first == read_texts(130_000)
    assert sum(map(len, first)) == 130_000
    assert max(map(len, first)) <= MOST_OF_ONE
    assert "def " in first[0]


def test_code_comes_back_and_what_is_unknown_is_marked():
    code = "def f(x):\n    return x ** 2  # {}\n"
    assert decode(encode(code)) == code
    assert decode(encode("\té")) == "    " + VOCABULARY[-1]


def test_sources_are_read_in_the_order_of_the_list_and_never_executed(tmp_path):
    for name in (MODULES[3], MODULES[1]):
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit({name!r})\n" + "#" * LEAST)
    texts = read_texts(folder=tmp_path)
    assert [text[:22] for text in texts[:2]] == [
        f"raise SystemExit('{name}')"[:22] for name in (MODULES[1], MODULES[3])
    ]


def test_without_sources_the_help_texts_stand_in(tmp_path):
    texts = read_texts(folder=tmp_path)
    assert len(texts) == 1 and len(texts[0]) >= LEAST
    assert "statement" in texts[0]


def test_without_either_it_says_so(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pydoc_data.topics", None)
    with pytest.raises(DataUnavailableError, match="neither"):
        read_texts(folder=tmp_path)


def test_a_learners_file_of_the_same_name_is_not_read(tmp_path, monkeypatch):
    (tmp_path / "argparse.py").write_text("mine\n" * 100)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert not any(text.startswith("mine") for text in library_text.read_texts(120_000))
