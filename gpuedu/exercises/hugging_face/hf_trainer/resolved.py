"""What options mean to Trainer: ``TrainingArguments`` itself reads them, and fills in the rest."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.hugging_face.states import own_states
from gpuedu.exercises.plain import describe, number

READ = (
    *("per_device_train_batch_size", "gradient_accumulation_steps", "max_steps", "bf16", "fp16"),
    *("num_train_epochs", "learning_rate", "warmup_steps", "lr_scheduler_type", "max_grad_norm"),
    *("weight_decay", "seed", "logging_strategy", "logging_steps", "eval_strategy", "eval_steps"),
    *("save_strategy", "save_steps", "save_total_limit"),
)
"""Options that the exercise looks at."""
_IDLE = ("output_dir", "use_cpu", "report_to", "disable_tqdm", "run_name", "optim", "data_seed")
"""Options that may be there, and change nothing that it looks at."""
_MOST_RATES = 1_000
_CUT = "`//` divides ints and gives one."


def resolved(options: Mapping[Any, Any], updates: int) -> dict[str, Any]:
    """What Trainer does with options, in plain numbers.

    Args:
        options: names of ``TrainingArguments``, with plain values.
        updates: how many learning rates are asked for, at most.

    Returns:
        ``samples`` on a device at a time, ``micro_batches`` of an update, ``precision`` ("bf16",
        "fp16", "both", "no"), ``updates`` (-1: by epochs), ``rates`` of the updates, ``clip`` (0:
        not at all), ``decay``, ``seed``; ``log``, ``evaluate`` and ``save``: every how many
        updates, 0: never, -1: by epochs or as it comes; ``keep``: how many checkpoints, 0: all.
        ``clip`` is -1 for a limit of ``None``, by which Trainer stops: it compares it with 0.

    Raises:
        AnswerError: an option that does not exist, or that Trainer refuses.
    """
    arguments = _arguments(options)

    def whole(name: str) -> int:
        value = getattr(arguments, name)
        if type(value) is not int:
            raise AnswerError(f"`{name}` should be an int, got {value!r:.40}", remedy=_CUT)
        return value

    return {
        "samples": whole("per_device_train_batch_size"),
        "micro_batches": whole("gradient_accumulation_steps"),
        "precision": _precision(arguments),
        "updates": whole("max_steps"),
        "rates": _rates(arguments, min(updates, _MOST_RATES)),
        "clip": _limit(arguments.max_grad_norm),
        "decay": number(arguments.weight_decay, "`weight_decay`"),
        "seed": whole("seed"),
        "log": _every(arguments, "logging"),
        "evaluate": _every(arguments, "eval"),
        "save": _every(arguments, "save"),
        "keep": whole("save_total_limit") if arguments.save_total_limit is not None else 0,
    }


def _arguments(options: Mapping[Any, Any]) -> Any:
    from transformers import TrainingArguments

    for name, value in options.items():
        if type(name) is not str or name not in TrainingArguments.__dataclass_fields__:
            raise AnswerError(f"`TrainingArguments` has no option {describe(name)}: {name!r:.60}")
        if name not in (*READ, *_IDLE):
            raise AnswerError(f"nothing that was asked for needs `{name}`", remedy="Leave it out.")
        if type(value) not in (bool, int, float, str, type(None)):
            raise AnswerError(f"`{name}` should be a plain value, got {describe(value)}")
    read = {name: options[name] for name in READ if name in options}
    with own_states(), tempfile.TemporaryDirectory() as folder:
        try:
            return TrainingArguments(folder, use_cpu=True, report_to="none", **read)
        except Exception as fault:
            told = str(fault).splitlines() or [type(fault).__name__]
            raise AnswerError(
                f"`TrainingArguments` refuses these options: {told[0][:200]}"
            ) from None


def _limit(norm: Any) -> float:
    if norm is None:
        return -1.0
    limit = number(norm, "`max_grad_norm`")
    return float(limit) if 0 < limit < math.inf else 0.0


def _precision(arguments: Any) -> str:
    if arguments.bf16 and arguments.fp16:
        return "both"
    return "bf16" if arguments.bf16 else "fp16" if arguments.fp16 else "no"


def _rates(arguments: Any, count: int) -> list[float]:
    """The learning rates of the first updates, by Trainer's own schedules."""
    import torch
    from transformers.optimization import get_scheduler

    total = arguments.max_steps
    if total <= 0:
        return []
    rate = number(arguments.learning_rate, "`learning_rate`")
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=max(rate, 0.0))
    try:
        warmup = arguments.get_warmup_steps(total)
        schedule = get_scheduler(
            arguments.lr_scheduler_type,
            optimizer=optimizer,
            num_warmup_steps=warmup,
            num_training_steps=total,
        )
        rates = []
        for _ in range(min(total, count)):
            rates.append(float(optimizer.param_groups[0]["lr"]))
            optimizer.step()
            schedule.step()
    except Exception as fault:
        told = f"there's no schedule for `{arguments.lr_scheduler_type.value}` here"
        raise AnswerError(f"{told}: {str(fault)[:200]}") from None
    return rates


def _every(arguments: Any, what: str) -> int:
    """Every how many updates: 0 for never; -1 where it is not counted in updates."""
    strategy = getattr(arguments, f"{what}_strategy").value
    if strategy == "no":
        return 0
    steps = getattr(arguments, f"{what}_steps")
    if strategy != "steps" or arguments.max_steps <= 0:
        return -1
    return math.ceil(arguments.max_steps * steps) if steps < 1 else int(steps)
