"""hf-trainer: wishes for a run, and whether options fulfil them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gpuedu.exercises.compare import is_close, show_apart
from gpuedu.exercises.contract import Case, Fault, Plain, Undecided
from gpuedu.exercises.hugging_face.trainer_alone import rates_of

NAMES = ("batch", "precision", "schedule", "rest", "routine")
_RUNS = (
    # devices, fits, share of one device, capability, shape, warm-up, clip, saves
    (4, 8, 32, 9.0, "cosine", 10, 1.0, True),
    (2, 12, 32, 7.5, "linear", 0, 0.5, False),
    (1, 64, 24, None, "constant", 12, None, True),
    (8, 6, 7, 8.0, "constant", 0, None, False),
    (3, 10, 45, 7.0, "linear", 1, 2.0, True),
)
"""7.0 and 7.5 compute in float16 only; 8.0 and later in bfloat16, too."""


def draw_wanted(rng: np.random.Generator) -> list[Case]:
    """Runs that differ in every wish."""
    found = []
    for devices, fits, share, capability, shape, warmup, clip, saves in (*_RUNS, *_drawn(rng)):
        wanted = {
            "batch": share * devices,
            "devices": devices,
            "fits": fits,
            "capability": capability,
            "updates": int(rng.integers(30, 90)),
            "rate": round(float(rng.uniform(1e-4, 9e-4)), 6),
            "warmup": warmup,
            "shape": shape,
            "clip": clip,
            "decay": round(float(rng.uniform(0.01, 0.2)), 3),
            "seed": int(rng.integers(1, 10_000)),
            "log_every": int(rng.integers(2, 20)),
            "evaluate_every": int(rng.integers(2, 20)),
            "save_every": int(rng.integers(2, 20)) if saves else None,
            "keep": int(rng.integers(2, 6)),
        }
        label = f"a batch of {share * devices} on {devices} device{'s' * (devices > 1)}"
        found.append(Case(label, {"ask": "options", "wanted": wanted}, NAMES))
    return found


def _drawn(rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    for _ in range(3):
        devices, fits, share = (int(rng.integers(*ends)) for ends in ((1, 9), (5, 40), (6, 90)))
        yield devices, fits, share, 9.0, "linear", int(rng.integers(20)), 1.0, True


def _wanted(case: Case) -> dict[str, Any]:
    return dict(case.inputs["wanted"])


def batch_fault(case: Case, observed: Plain) -> Iterator[Fault]:
    """The whole batch, in the largest pieces that fit."""
    wanted = _wanted(case)
    samples, micro = observed["samples"], observed["micro_batches"]
    whole = samples * micro * wanted["devices"]
    told = f"{samples} samples, {micro} times, on {wanted['devices']} devices"
    if whole != wanted["batch"]:
        yield Fault("batch", f"{told}: {whole} in each update, not the wanted {wanted['batch']}")
    elif samples > wanted["fits"]:
        yield Fault("batch", f"{told}, but only {wanted['fits']} fit at a time")
    else:
        share = wanted["batch"] // wanted["devices"]
        best = max(n for n in range(1, wanted["fits"] + 1) if share % n == 0)
        if samples != best:
            yield Fault("batch", f"{told}; with larger pieces it takes {share // best} times")


def precision_fault(case: Case, observed: Plain) -> Iterator[Fault]:
    """One of the two formats, or none on a CPU."""
    capability = case.inputs["wanted"]["capability"]
    right = "no" if capability is None else "bf16" if capability >= 8 else "fp16"
    if observed["precision"] != right:
        where = "a CPU" if capability is None else f"a device of capability {capability}"
        says = {"no": "neither bf16 nor fp16", "both": "bf16 and fp16"}
        got = says.get(observed["precision"], observed["precision"])
        yield Fault("precision", f"not right for {where}: {got}")


def schedule_fault(case: Case, observed: Plain) -> Iterator[Fault]:
    """As many updates, each with its rate."""
    wanted = _wanted(case)
    if observed["updates"] != wanted["updates"]:
        got = observed["updates"]
        counted = "are left to the number of epochs" if got <= 0 else f"are {got}"
        yield Fault("schedule", f"updates {counted}; {wanted['updates']} are wanted")
        return
    right = rates_of(wanted["updates"], wanted["rate"], wanted["warmup"], wanted["shape"])
    for at, (mine, true) in enumerate(zip(observed["rates"], right, strict=True), 1):
        if not is_close(mine, true, 1e-6, 1e-12):
            shown, told = show_apart(mine, true)
            yield Fault("schedule", f"update {at} has a rate of {shown}; {told} is wanted")
            return


def rest_fault(case: Case, observed: Plain) -> Iterator[Fault]:
    """Clipping, decay, seed."""
    wanted = _wanted(case)
    limit = observed["clip"]
    if limit < 0:
        told = "`max_grad_norm` is None, and Trainer, which asks whether it's above 0, stops there"
        yield Fault("rest", told, "Which number means to Trainer that nothing is clipped?")
    elif not is_close(limit, wanted["clip"] or 0.0):
        got = f"are clipped at {limit:g}" if limit else "aren't clipped"
        told = "none" if wanted["clip"] is None else f"a limit of {wanted['clip']:g}"
        yield Fault("rest", f"gradients {got}; {told} is wanted")
    for name, what in (("decay", "weight decay"), ("seed", "seed")):
        if not is_close(observed[name], wanted[name]):
            told = f"the {what} is {observed[name]:g}; {wanted[name]:g} is wanted"
            yield Fault("rest", told)


def routine_fault(case: Case, observed: Plain) -> Iterator[Fault]:
    """Logs, evaluations and checkpoints."""
    wanted = _wanted(case)
    does = {"log": "logs", "evaluate": "evaluates", "save": "saves"}
    if observed["updates"] <= 0:
        yield Undecided("routine", "without a number of updates nothing counts in updates")
        return
    for name, verb in does.items():
        right = wanted[f"{name}_every"] or 0
        if observed[name] != right:
            yield Fault("routine", f"it {verb} {_often(observed[name])}, not {_often(right)}")
            return
    if wanted["save_every"] and observed["keep"] != wanted["keep"]:
        got = observed["keep"] or "all"
        yield Fault("routine", f"it keeps {got} checkpoints, not {wanted['keep']}")


def _often(every: int) -> str:
    return {0: "never", -1: "by epochs, or never"}.get(every, f"every {every} updates")
