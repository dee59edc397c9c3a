"""The trained GPT: it is the one that was stored, and it has learned something."""

from __future__ import annotations

import math

import pytest
import torch

from gpuedu.experiments import read_results
from gpuedu.experiments.small_gpt import NAME, held_out_loss, load_small_gpt
from gpuedu.training import load_library, write_text
from gpuedu.training.library_text import VOCABULARY


def test_it_has_learned():
    """Python's versions differ in their sources, so the loss is not quite the one of its record."""
    stored = read_results(NAME).values["held_out_loss"]
    loss = held_out_loss(load_small_gpt(), load_library(context=64).held_out)
    assert stored < 0.3 * math.log(len(VOCABULARY))
    assert loss == pytest.approx(stored, abs=0.3)


def test_loading_takes_no_chance_and_no_gradients():
    torch.manual_seed(3)
    before = torch.get_rng_state()
    model = load_small_gpt()
    assert torch.equal(before, torch.get_rng_state())
    assert not any(one.requires_grad for one in model.parameters())


def test_it_continues_code():
    model = load_small_gpt()
    assert write_text(model, "import", characters=1, seed=1) == "import "
