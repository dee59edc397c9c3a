"""What the judge of hf-trainer takes for true, held against Trainer itself."""

from __future__ import annotations

import inspect
from dataclasses import fields

import numpy as np
import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.hugging_face.hf_trainer.judge import cases, truth_of
from gpuedu.exercises.hugging_face.hf_trainer.resolved import READ, resolved
from gpuedu.exercises.hugging_face.reader import IGNORED, Reader, batches_of
from gpuedu.exercises.hugging_face.real_trainer import quiet_transformers, train_by_trainer
from gpuedu.exercises.hugging_face.states import own_states
from gpuedu.exercises.hugging_face.trainer_alone import DEFAULTS, rates_of
from tests.exercises.stored import solution_answers

CASES = cases(np.random.default_rng(11))
LOOPS = [case for case in CASES if case.inputs["ask"] == "loop"]
WISHES = [case for case in CASES if case.inputs["ask"] == "options"]


@pytest.fixture(scope="module")
def options():
    return solution_answers("hf-trainer")["options"]


@pytest.mark.parametrize("case", LOOPS, ids=lambda case: case.label)
def test_trainer_makes_the_same_updates(case):
    given = case.inputs
    batches = batches_of(given["lengths"], given["seed"])
    model = Reader(given["seed"], given["loud"], given["more"])
    real = train_by_trainer(model, batches, given["options"])
    true = truth_of(case)
    assert real.rates == pytest.approx(true.rates, rel=1e-12, abs=1e-18)
    assert np.array(real.weights) == pytest.approx(np.array(true.weights), rel=1e-10, abs=1e-13)
    assert real.losses == pytest.approx(true.losses, rel=1e-5)  # logged as float32


def test_the_defaults_are_trainers():
    from transformers import TrainingArguments

    told = {one.name: one.default for one in fields(TrainingArguments)}
    assert {name: told[name] for name in DEFAULTS} == DEFAULTS
    assert set(READ) <= set(told)


def test_trainer_does_what_options_are_read_as(options, tmp_path):
    from transformers import Trainer, TrainerCallback, TrainingArguments

    seen: dict[str, list[int]] = {"log": [], "evaluate": [], "save": []}

    class Watch(TrainerCallback):
        def on_log(self, _, state, *__, logs=None, **___):
            if "loss" in logs:
                seen["log"].append(state.global_step)

        def on_evaluate(self, _, state, *__, **___):
            seen["evaluate"].append(state.global_step)

        def on_save(self, _, state, *__, **___):
            seen["save"].append(state.global_step)

    wanted = WISHES[2].inputs["wanted"] | {"updates": 12, "warmup": 3, "log_every": 5}
    wanted |= {"evaluate_every": 4, "save_every": 3, "keep": 2}
    told = resolved(options(wanted), 12)
    rows = [
        {name: tensor[0] for name, tensor in batch.items()} for batch in batches_of([(5,)] * 24, 1)
    ]
    with quiet_transformers(), own_states():
        given = options(wanted) | {"use_cpu": True, "disable_tqdm": True}
        trainer = Trainer(
            Reader(1), TrainingArguments(tmp_path, **given), train_dataset=rows, eval_dataset=rows
        )
        trainer.callback_handler.callbacks[1:] = [Watch()]
        trainer.train()
    for what, every in (("log", 5), ("evaluate", 4), ("save", 3)):
        assert told[what] == every
        assert seen[what] == list(range(every, 13, every))
    assert len(list(tmp_path.glob("checkpoint-*"))) == told["keep"] == 2
    assert len(next(iter(trainer.get_train_dataloader()))["labels"]) == told["samples"] == 24
    assert told["rates"] == pytest.approx(rates_of(12, wanted["rate"], 3, "constant"))


def test_a_limit_of_none_is_not_one_of_0():
    """Trainer stops at the first update, where it asks whether the limit is above 0."""
    assert resolved({"max_steps": 3, "max_grad_norm": None}, 3)["clip"] == -1
    assert resolved({"max_steps": 3, "max_grad_norm": 0}, 3)["clip"] == 0
    with pytest.raises(TypeError, match="'>' not supported"):
        train_by_trainer(Reader(1), batches_of([(5,)], 1), {"max_grad_norm": None})


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ({"learningrate": 1e-3}, "no option"),
        ({"deepspeed": "file.json"}, "needs `deepspeed`"),
        ({"eval_strategy": "sometimes"}, "refuses"),
        ({"lr_scheduler_type": "upward"}, "refuses"),
        ({"learning_rate": [1]}, "plain value"),
        ({"per_device_train_batch_size": "many"}, "per_device_train_batch_size"),
        ({"max_grad_norm": "1"}, "max_grad_norm"),
        ({3: 4}, "no option"),
    ],
)
def test_options_that_are_none_are_told(option, says):
    with pytest.raises(AnswerError, match=says):
        resolved({"max_steps": 3} | option, 3)


def test_a_check_leaves_the_states_of_accelerate_alone():
    from accelerate.state import AcceleratorState, PartialState

    before = dict(PartialState._shared_state)
    with own_states():
        PartialState(cpu=True)
        assert PartialState._shared_state
    assert dict(PartialState._shared_state) == before
    assert type(vars(AcceleratorState)["_shared_state"]) is dict


def test_a_model_that_takes_no_number_of_items_gets_means_of_means():
    """What the text says of ``forward`` without ``**``."""

    class Plain(Reader):
        def forward(self, input_ids, labels):
            return super().forward(input_ids, labels)

    lengths, size = [(5, 5), (1, 1)], {"gradient_accumulation_steps": 2, "num_train_epochs": 1}
    batches = batches_of(lengths, 3)
    real = train_by_trainer(Plain(3), batches, size)
    model = Reader(3)
    means = [model(**batch)["loss"].item() for batch in batches]
    assert real.losses == pytest.approx([sum(means) / 2], rel=1e-5)
    items = sum(int((batch["labels"] != IGNORED).sum()) for batch in batches)
    whole = sum(model(**batch, num_items_in_batch=items)["loss"].item() for batch in batches)
    assert abs(whole - real.losses[0]) > 1e-3


def test_the_plays_import_nothing_of_the_extra():
    from gpuedu.exercises.hugging_face.hf_trainer import play, resolved

    for module in (play, resolved):
        assert "\nimport transformers" not in inspect.getsource(module)
        assert "\nfrom transformers" not in inspect.getsource(module)
