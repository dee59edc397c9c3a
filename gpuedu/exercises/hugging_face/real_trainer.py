"""Trainer itself, on the lesson's small models: what pictures and tests hold loops against."""

from __future__ import annotations

import logging
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from gpuedu.exercises.hugging_face.reader import Batch, weights_of
from gpuedu.exercises.hugging_face.states import own_states
from gpuedu.exercises.hugging_face.trainer_alone import Updates


def train_by_trainer(
    model: nn.Module, batches: Sequence[Batch], options: Mapping[str, Any]
) -> Updates:
    """Train a model with Trainer on the CPU; batches come in their order, all of one size.

    Args:
        model: is trained.
        batches: of one pass; rows are cut as they are in the first one.
        options: more of ``TrainingArguments``.
    """
    from transformers import Trainer, TrainerCallback, TrainingArguments

    found = Updates([], [], [])

    class Watch(TrainerCallback):
        """Notes weights after each update, and the rate that it had."""

        def on_optimizer_step(self, *_: Any, optimizer: Any, **__: Any) -> None:
            """Called between the optimizer's step and the scheduler's."""
            found.rates.append(float(optimizer.param_groups[0]["lr"]))
            found.weights.append(weights_of(model))

    rows = [
        {name: tensor[at] for name, tensor in batch.items()}
        for batch in batches
        for at in range(len(batch["labels"]))
    ]
    with quiet_transformers(), own_states(), tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            folder,
            use_cpu=True,
            logging_steps=1,
            save_strategy="no",
            disable_tqdm=True,
            per_device_train_batch_size=len(batches[0]["labels"]),
            train_sampling_strategy="sequential",
            **options,
        )
        trainer = Trainer(model, arguments, train_dataset=rows, callbacks=[Watch()])
        for one in list(trainer.callback_handler.callbacks):
            if type(one).__name__ == "PrinterCallback":
                trainer.remove_callback(one)
        trainer.train()
    found.losses.extend(one["loss"] for one in trainer.state.log_history if "loss" in one)
    return found


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """No warnings and no log lines inside; random states and threads as they were after it."""
    from gpuedu.exercises.training.quiet import quiet_torch

    logger = logging.getLogger("transformers")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with quiet_torch(), warnings.catch_warnings(), torch.enable_grad():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
