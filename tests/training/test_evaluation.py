"""Evaluation: a mean over samples, whatever the batches, and the model's mode is kept."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from gpuedu.training import MLP, CharacterGPT, Split, character_loss, evaluate, seed_all
from gpuedu.training.errors import BatchSizeError, OutputShapeError


def test_the_size_of_batches_does_not_change_the_result():
    seed_all(0)
    model, split = MLP(8, 3, dropout=0.5), Split(torch.rand(50, 8), torch.randint(3, (50,)))
    whole = evaluate(model, split, cross_entropy)
    model.eval()
    scores = model(split.inputs)
    model.train()
    assert whole.loss == pytest.approx(cross_entropy(scores, split.targets).item(), rel=1e-6)
    assert whole.accuracy == float((scores.argmax(1) == split.targets).double().mean())
    ragged = evaluate(model, split, cross_entropy, size=7)
    assert ragged.accuracy == whole.accuracy and ragged.samples == 50
    assert ragged.loss == pytest.approx(whole.loss, rel=1e-6)


@pytest.mark.parametrize("training", [True, False])
def test_the_models_mode_is_as_before_and_no_graph_is_made(training):
    model = MLP(8, 3).train(training)
    seen = []
    model.register_forward_hook(lambda m, i, out: seen.append((m.training, out.requires_grad)))
    evaluate(model, Split(torch.rand(4, 8), torch.zeros(4, dtype=torch.long)), cross_entropy)
    assert model.training is training and seen == [(False, False)]


def test_text_is_judged_by_the_character():
    model = CharacterGPT(97, context=8, width=8, layers=1, heads=1)
    split = Split(torch.randint(97, (3, 8)), torch.randint(97, (3, 8)))
    right = (model(split.inputs).argmax(-1) == split.targets).double().mean()
    assert evaluate(model, split, character_loss).accuracy == pytest.approx(float(right))


def test_faults_are_told_and_the_mode_is_given_back():
    model = nn.Sequential(nn.Linear(8, 2)).train()
    with pytest.raises(OutputShapeError):
        evaluate(model, Split(torch.rand(4, 8), torch.full((4,), 5)), cross_entropy)
    assert model.training
    with pytest.raises(BatchSizeError):
        evaluate(model, Split(torch.rand(0, 8), torch.zeros(0)), cross_entropy)


class Constant(nn.Module):
    """Always says class 1, by a plain tensor or a buffer: nothing of it is a parameter."""

    def __init__(self, buffer):
        super().__init__()
        scores = torch.tensor([0.0, 5.0, 0.0])
        if buffer:
            self.register_buffer("scores", scores)
        else:
            self.scores = scores

    def forward(self, inputs):
        return self.scores.expand(len(inputs), 3)


@pytest.mark.parametrize("buffer", [True, False])
def test_a_model_that_has_no_parameters_is_judged_all_the_same(buffer):
    split = Split(torch.rand(4, 8), torch.tensor([1, 1, 1, 0]))
    assert evaluate(Constant(buffer), split, cross_entropy).accuracy == 0.75
