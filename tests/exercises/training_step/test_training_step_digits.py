"""train-digits: the tasks, the budget's count, and the band that answers are held against."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gpuedu.exercises.contract import Undecided
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training_step.train_digits.judge import JUDGE, band, cases, learned_by_heart
from gpuedu.exercises.training_step.train_digits.picture import draw_own_training
from gpuedu.exercises.training_step.train_digits.play import counted_steps, play_train_digits
from gpuedu.experiments import read_results
from gpuedu.experiments.noisy_digits import TRAIN, WRONG_SHARE, draw_task
from gpuedu.experiments.reference_digits import train_reference
from gpuedu.figures.style import alt_text
from gpuedu.training import load_digits

(CASE,) = cases(np.random.default_rng(0))


def observe(accuracies, learned=(0.7, 0.7, 0.7), steps=(150, 150, 150)):
    seen = {"accuracies": list(accuracies), "learned": list(learned), "steps": list(steps)}
    seen["finite"] = True
    return [one for one in JUDGE.seen(CASE, seen) if hasattr(one, "property")]


def test_a_task_is_the_same_for_the_same_seed_and_has_the_true_labels_held_out():
    (train, held_out), (again, _), (other, _) = (draw_task(seed) for seed in (3, 3, 4))
    assert len(train) == TRAIN
    assert len(train) + len(held_out) == len(load_digits().train) + len(load_digits().held_out)
    assert torch.equal(train.inputs, again.inputs) and torch.equal(train.targets, again.targets)
    assert not torch.equal(train.targets, other.targets)
    assert held_out.targets.bincount(minlength=10).min() > 90


def test_about_so_many_labels_are_wrong():
    """A drawn label is the true one in 1 of 10 cases; linear models tell the true ones apart."""
    same = []
    for seed in range(4):
        train, _ = draw_task(seed)
        with quiet_torch(seed):
            model = train_reference(train).eval()
        same.append((model(train.inputs).argmax(1) == train.targets).float().mean().item())
    assert np.mean(same) == pytest.approx(1 - 0.9 * WRONG_SHARE, abs=0.06)


def test_the_band_is_of_sixty_runs_and_learning_by_heart_is_far_below_it():
    assert band().runs == 60
    assert 0.85 < band().lowest < band().median < band().highest < 0.97
    assert learned_by_heart() / 100 < band().lowest - 0.05
    assert max(read_results("reference-digits").values["plain"]["accuracies"]) < band().lowest


def test_a_reference_run_lies_in_the_band():
    with quiet_torch():
        from gpuedu.experiments.reference_digits import _reference

        assert band().reaches([_reference(100)])


def test_the_middle_run_decides():
    low, inside = band().lowest - 0.1, band().median
    assert [fault.property for fault in observe([low, inside, inside])] == []
    assert [fault.property for fault in observe([low, low, inside])] == ["band"]
    assert [fault.property for fault in observe([0.1, inside, inside])] == ["learns"]
    learns, in_band = observe([0.1, 0.1, inside])
    assert learns.property == "learns"
    assert in_band == Undecided("band", learns.message)


def test_too_many_steps_and_none_are_told():
    right = [band().median] * 3
    assert [fault.property for fault in observe(right, steps=(10, 601, 10))] == ["budget"]
    assert "no optimizer" in observe(right, steps=(0, 0, 0))[0].message
    assert "no optimizer" in observe(right, steps=(150, 0, 150))[0].message
    assert observe(right, steps=(1, 600, 1)) == []


def test_a_model_without_parameters_loses_the_steps_alone():
    """A table of mean images, found without a step: right or wrong, it is judged by its answers."""

    class Means(torch.nn.Module):
        def __init__(self, means):
            super().__init__()
            self.means = means

        def forward(self, images):
            return -torch.cdist(images.flatten(1), self.means)

    def train_model(images, labels):
        flat = images.flatten(1)
        return Means(torch.stack([flat[labels == digit].mean(0) for digit in range(10)]))

    observed = play_train_digits([train_model], {"tasks": CASE.inputs["tasks"][:1]})
    faults = [one for one in JUDGE.seen(CASE, observed) if hasattr(one, "property")]
    assert observed["steps"] == [0] and observed["accuracies"][0] > 0.5
    assert "budget" in {fault.property for fault in faults}
    assert "learns" not in {fault.property for fault in faults}


def test_steps_of_every_optimizer_are_counted_while_it_watches():
    weights = torch.nn.Parameter(torch.ones(2))
    weights.grad = torch.ones(2)
    optimizers = [torch.optim.SGD([weights], lr=0.1), torch.optim.Adam([weights])]
    with counted_steps() as seen:
        for optimizer in optimizers:
            optimizer.step()
    optimizers[0].step()
    assert len(seen) == 2


def test_what_is_no_model_is_refused_with_a_cause():
    from gpuedu.errors import AnswerError

    with pytest.raises(AnswerError, match="should return the trained model, got None"):
        play_train_digits([lambda images, labels: None], {"tasks": [1]})


def test_a_model_of_other_images_is_told_with_a_cause():
    from gpuedu.errors import AnswerError

    with pytest.raises(AnswerError, match=r"cannot take images of shape \(N, 1, 8, 8\)"):
        play_train_digits([lambda *_: torch.nn.Linear(64, 10)], {"tasks": [1]})


def test_the_picture_follows_the_weights_of_the_run():
    def train_model(images, labels):
        model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 10))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        for _ in range(12):
            loss = torch.nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return model

    ax = draw_own_training(train_model)
    assert "accuracy at the end" in alt_text(ax)
    training = ax.lines[0].get_ydata()
    assert len(training) == 12
    assert training[-1] < training[0]
