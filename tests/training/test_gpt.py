"""The character GPT: it does not see the future, its two attentions agree, and it learns."""

from __future__ import annotations

import math

import pytest
import torch

from gpuedu.training import (
    Batches,
    CharacterGPT,
    character_loss,
    evaluate,
    load_library,
    seed_all,
    train,
    write_text,
)
from gpuedu.training.gpt import CausalAttention


@pytest.mark.parametrize("fused", [False, True])
def test_what_comes_later_changes_nothing_before_it(fused):
    seed_all(1)
    model = CharacterGPT(97, context=12, width=16, layers=2, heads=2, fused=fused)
    characters = torch.randint(97, (2, 12))
    changed = characters.clone()
    changed[:, 7] = (changed[:, 7] + 1) % 97
    before, after = model(characters), model(changed)
    assert torch.allclose(before[:, :7], after[:, :7], atol=1e-6)
    assert (before[:, 7:] - after[:, 7:]).abs().amax(-1).min() > 1e-6


def test_the_attention_of_the_formula_equals_pytorchs_kernel():
    seed_all(2)
    plain, fused = CausalAttention(24, 3, 10), CausalAttention(24, 3, 10, fused=True)
    fused.load_state_dict(plain.state_dict())
    states = torch.randn(2, 7, 24)
    assert torch.allclose(plain(states), fused(states), atol=1e-6)


def test_tied_matrices_are_one_and_count_once():
    tied, loose = (CharacterGPT(97, width=32, tied=tied) for tied in (True, False))
    assert tied.head.weight is tied.characters.weight
    counts = [sum(p.numel() for p in model.parameters()) for model in (tied, loose)]
    assert counts[1] - counts[0] == 97 * 32


def test_an_untrained_model_knows_nothing():
    seed_all(0)
    model = CharacterGPT(97)
    characters = torch.randint(97, (8, 64))
    loss = character_loss(model(characters), torch.randint(97, (8, 64)))
    assert loss.item() == pytest.approx(math.log(97), abs=0.1)


def test_a_short_run_gets_below_guessing_by_frequency():
    text = load_library(context=32, most=120_000)
    counts = torch.bincount(text.train.inputs.flatten(), minlength=97).double()
    shares = counts[counts > 0] / counts.sum()
    by_frequency = float(-(shares * shares.log()).sum())
    seed_all(0)
    model = CharacterGPT(97, context=32, width=48, layers=1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    train(model, Batches(text.train, 32), character_loss, optimizer, steps=60)
    assert evaluate(model, text.held_out, character_loss).loss < by_frequency - 0.4


def test_what_it_writes_is_decided_by_the_seed():
    model = CharacterGPT(97, context=8, width=16, layers=1)
    written = write_text(model, "import ", characters=20, seed=3)
    assert written.startswith("import ") and len(written) == 27
    assert written == write_text(model, "import ", characters=20, seed=3)
    assert written != write_text(model, "import ", characters=20, seed=4)
