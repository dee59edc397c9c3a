"""save-and-resume: beside the learner's code."""

from __future__ import annotations

import copy
import io
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.plain import describe
from gpuedu.exercises.training.quiet import quiet_torch

_OTHER_SEED = 1_000_003


def play_save_and_resume(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """How the run that nobody saved, the saved one and the resumed one went on.

    ``lost`` names, for each part whose state was another one right after resuming, where it
    differs; ``moved`` is the first place in the saved state that changed while the run went on;
    ``data_at`` is where it holds the run's data, empty if nowhere; ``not_held`` names the parts of
    which it has too little for another process;
    ``file_problem`` says why it does not survive as a file.
    """
    from gpuedu.exercises.training_step.save_and_resume.held import (
        parts_not_held,
        place_of_data,
        words_of,
    )
    from gpuedu.exercises.training_step.save_and_resume.runs import (
        first_difference,
        make_run,
        parts_of,
        take_steps,
    )

    save, resume = answers
    kind, before, after = inputs["kind"], inputs["before"], inputs["after"]
    with quiet_torch(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what PyTorch says of a scheduler and a skipped step
        unbroken = make_run(kind, inputs["seed"])
        take_steps(unbroken, before)
        wanted, words = parts_of(unbroken), words_of(unbroken)
        rows = take_steps(unbroken, after)

        saved = make_run(kind, inputs["seed"])
        take_steps(saved, before)
        state = save(saved)
        if not isinstance(state, dict):
            raise AnswerError(f"`save` should return a dict, got {describe(state)}")
        stored, file_problem = _through_file(state)
        not_held = parts_not_held(words, stored)
        went_on = take_steps(saved, after)
        later, _ = _through_file(state)

        other = make_run(kind, inputs["seed"] + 2 * _OTHER_SEED)
        take_steps(other, 1)
        save(other)  # so nothing of the first run that was put aside, not returned, is left
        resumed = make_run(kind, inputs["seed"] + _OTHER_SEED)
        take_steps(resumed, 2)
        resume(resumed, copy.deepcopy(stored))
        found = parts_of(resumed)
        lost = {part: first_difference(wanted[part], found[part]) for part in wanted}
        broke, resumed_rows = "", []
        try:
            resumed_rows = take_steps(resumed, after)
        except Exception as fault:  # the steps are ours: what stops them is how it was resumed
            broke = _first_line(fault)
        return {
            "unbroken": [*rows, _weights(unbroken)],
            "saved": [*went_on, _weights(saved)],
            "resumed": [*resumed_rows, _weights(resumed)],
            "broke": broke,
            "lost": {part: place for part, place in lost.items() if place is not None},
            "moved": first_difference(stored, later),
            "data_at": _place_of([saved.targets], stored) or place_of_data(saved.inputs, stored),
            "not_held": not_held,
            "file_problem": file_problem,
            "file_bytes": _file_bytes(state),
            "weight_bytes": sum(p.nbytes for p in saved.model.parameters()),
        }


def _place_of(data: Sequence[Any], state: Any, path: str = "") -> str:
    """Where in a state one of the run's tensors of data is, as ``['inputs']``; empty if nowhere."""
    import torch

    if isinstance(state, torch.Tensor):
        is_data = any(state.shape == one.shape and bool((state == one).all()) for one in data)
        return path if is_data else ""
    pairs: list[tuple[str, Any]] = []
    if isinstance(state, Mapping):
        pairs = [(repr(key), value) for key, value in state.items()]
    elif isinstance(state, (list, tuple)):
        pairs = [(str(at), value) for at, value in enumerate(state)]
    found = (_place_of(data, value, f"{path}[{key}]") for key, value in pairs)
    return next((place for place in found if place), "")


def _weights(run: Any) -> list[float]:
    """All weights and buffers of a run's model."""
    return [float(x) for one in run.model.state_dict().values() for x in one.reshape(-1)]


def _through_file(state: dict[str, Any]) -> tuple[Any, str]:
    """The state as ``torch.load`` gives it back from bytes, or a copy and what was wrong."""
    import torch

    problem = ""
    for weights_only in (True, False):
        file = io.BytesIO()
        try:
            torch.save(state, file)
            file.seek(0)
            return torch.load(file, weights_only=weights_only), problem
        except Exception as fault:
            problem = problem or _first_line(fault)
    return copy.deepcopy(state), problem


def _first_line(fault: Exception) -> str:
    """What PyTorch says of it, without its advice."""
    lines = [line.strip() for line in str(fault).splitlines() if line.strip()]
    told = next((line for line in lines if "Unsupported" in line or "Can't" in line), "")
    told = (told or (lines or [""])[0]).split(" Please use")[0]
    return f"{type(fault).__name__}: {told}"[:220]


def _file_bytes(state: dict[str, Any]) -> int:
    import torch

    file = io.BytesIO()
    try:
        torch.save(state, file)
    except Exception:
        return 0
    return file.tell()


PLAY = Play(
    (Answer("save", signature=("run",)), Answer("resume", signature=("run", "state"))),
    play_save_and_resume,
    time_limit_s=60.0,
    draws=True,
)
