"""scaling: what a step costs on more ranks, and what that is worth."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from gpuedu.exercises.compare import (
    Misconception,
    is_close,
    likely_cause,
    number_fault,
    show,
    show_apart,
)
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.ddp_in_practice.scaling.judge.scaling_cases import cases
from gpuedu.exercises.ddp_in_practice.scaling.judge.step_mistakes import STEP_MISTAKES
from gpuedu.exercises.ddp_in_practice.scaling.scaling_model import (
    efficiency,
    net_of,
    recipe,
    step_s,
    work_of,
)
from gpuedu.multi.network import Link, ring_all_reduce_s

_REL = 1e-6


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Whether the one property that the case decides holds."""
    judges = {
        "step": _judge_step,
        "efficiency": _judge_efficiency,
        "most": _judge_most,
        "recipe": _judge_recipe,
    }
    yield from judges[case.inputs["ask"]](case.decides[0], case.inputs, observed)


def _judge_step(prop: str, inputs: Mapping[str, Any], observed: Plain) -> Iterable[Fault]:
    model = work_of(inputs), net_of(inputs)
    ranks, batch = inputs["ranks"], inputs["batch"]
    given = {"ranks": ranks, "batch": batch, "work": model[0], "net": model[1]}
    cause = likely_cause(observed["got"], STEP_MISTAKES, given, _REL)
    call = f"step_s({ranks}, {batch}, work, net)"
    expected = step_s(ranks, batch, *model)
    for fault in number_fault(prop, call, observed["got"], expected, unit="s", cause=cause):
        yield Fault(prop, f"{fault.message}, where {_told(inputs)}", cause)


def _told(inputs: Mapping[str, Any]) -> str:
    work, net = inputs["work"], inputs["net"]
    numbers = ", ".join(f"{name} {show(value)}" for name, value in work.items())
    links = "; ".join(
        f"{name} {show(net[name][0])} s and {show(net[name][1])} bytes/s"
        for name in ("within", "across")
    )
    return f"work has {numbers}, and net {net['per_node']} a node; {links}"


_EFFICIENCIES = (
    Misconception(
        lambda ranks, alone, weak, strong, scaling: (
            ranks * alone / weak if scaling == "weak" else alone / strong
        ),
        "That is the speed-up: how many times the samples a second of one rank. Which part of "
        "`ranks` times is that?",
    ),
    Misconception(
        lambda ranks, alone, weak, strong, scaling: (
            alone / (ranks * weak) if scaling == "weak" else alone / (ranks * alone)
        ),
        "In weak scaling, the ranks make `ranks` times as many samples in a step as one does: "
        "twice as many ranks need not be faster in a *step*.",
    ),
    Misconception(
        lambda ranks, alone, weak, strong, scaling: alone / strong,
        "In weak scaling each rank keeps its batch: n ranks together have n * batch samples.",
    ),
    Misconception(
        lambda ranks, alone, weak, strong, scaling: (
            alone / (ranks * strong) if scaling == "weak" else alone / weak
        ),
        "That is the other scaling: weak lets the batch grow with the ranks, strong keeps it.",
    ),
    Misconception(
        lambda ranks, alone, weak, strong, scaling: alone / (ranks * weak),
        "In strong scaling the batch stays as it is: all ranks together have `batch` samples.",
    ),
    Misconception(
        lambda ranks, alone, weak, strong, scaling: (
            weak / alone if scaling == "weak" else ranks * strong / alone
        ),
        "That is the other way round: an efficiency is at most about 1.",
    ),
    Misconception(
        lambda ranks, alone, weak, strong, scaling: alone / strong / alone,
        "An efficiency compares with one rank.",
    ),
)


def _judge_efficiency(prop: str, inputs: Mapping[str, Any], observed: Plain) -> Iterable[Fault]:
    ranks, batch, scaling = inputs["ranks"], inputs["batch"], inputs["scaling"]
    got, (alone, weak, strong) = observed["got"], observed["own"]
    true = efficiency(ranks, batch, work_of(inputs), net_of(inputs), scaling)
    own = _ratio(alone, weak if scaling == "weak" else ranks * strong)
    if is_close(got, true, _REL) or is_close(got, own, _REL):
        return
    expected = own if math.isfinite(own) else true
    given = {"ranks": ranks, "alone": alone, "weak": weak, "strong": strong, "scaling": scaling}
    told, wanted = show_apart(got, expected)
    yield Fault(
        prop,
        f'`efficiency({ranks}, {batch}, work, net, "{scaling}")` gave {told}, expected {wanted}: '
        f"your `step_s` gives {show(alone)} s for {batch} samples on 1 rank, {show(weak)} s for "
        f"{ranks * batch} and {show(strong)} s for {batch} on {ranks}",
        likely_cause(got, _EFFICIENCIES, given, _REL),
    )


def _ratio(a: float, b: float) -> float:
    return a / b if b else float("nan")


def _judge_most(prop: str, inputs: Mapping[str, Any], observed: Plain) -> Iterable[Fault]:
    counts, least, got = inputs["counts"], inputs["least"], observed["got"]
    model = inputs["batch"], work_of(inputs), net_of(inputs), inputs["scaling"]
    true = [efficiency(n, *model) for n in counts]
    ways = (true, *([observed["own"]] if any(observed["own"]) else []))
    if got in {_most(counts, found, least) for found in ways}:
        return
    own = observed["own"] if all(map(math.isfinite, observed["own"])) else true
    expected = _most(counts, own, least)
    table = ", ".join(f"{n}: {e:.3g}" for n, e in zip(counts, own, strict=True))
    yield Fault(
        prop,
        f"`most_ranks({list(counts)}, {least:.3g}, ...)` gave {got}, expected {expected}; "
        f"efficiencies by ranks are {table}",
        _why_most(got, counts, own, least),
    )


def _most(counts: Iterable[int], found: Iterable[float], least: float) -> int:
    pairs = zip(counts, found, strict=True)
    return max((n for n, reached in pairs if reached >= least), default=0)


def _why_most(got: int, counts: Iterable[int], found: Iterable[float], least: float) -> str:
    pairs = list(zip(counts, found, strict=True))
    enough = [n for n, reached in pairs if reached >= least]
    if not enough:
        return "None of them is efficient enough: that is 0."
    until = []
    for n, reached in sorted(pairs):
        if reached < least:
            break
        until.append(n)
    if got == max(until, default=0):
        return "Efficiency can rise again with more ranks: a batch that divides evenly wastes less."
    if got == enough[-1]:
        return "Counts come in any order. The last that will do need not be the largest."
    if got == enough[0]:
        return "That is the first that will do. The largest is asked for."
    if got in dict(pairs) and dict(pairs)[got] < least:
        return "That one is below the least efficiency."
    return ""


_RECIPES = {
    "batch": "Each rank keeps its `batch` samples. How many are those of a step?",
    "peak": "SGD: the linear rule. Adam: the root. By what does the batch grow?",
    "steps": "steps = least * (1 + scale / batch), with the same `least` before and after.",
}


def _judge_recipe(prop: str, inputs: Mapping[str, Any], observed: Plain) -> Iterable[Fault]:
    names = ("ranks", "batch", "peak", "steps", "scale", "optimiser")
    given = {name: inputs[name] for name in names}
    wanted = recipe(**given)
    for name, got, true in zip(_RECIPES, observed["got"], wanted, strict=True):
        if not is_close(got, true, _REL):
            told, expected = show_apart(got, true)
            call = ", ".join(
                f'"{value}"' if isinstance(value, str) else show(value) for value in given.values()
            )
            why = _RECIPES[name]
            if name == "steps" and is_close(got, given["steps"] / given["ranks"], _REL):
                why = (
                    "That is as many samples as before. It holds far below the noise scale only: "
                    "above it, a larger batch saves next to no steps."
                )
            yield Fault(prop, f"`recipe({call})`: {name} is {told}, expected {expected}", why)
            return


def _on_64(latency_s: float, bytes_per_s: float) -> float:
    """Weak efficiency in per cent of 64 ranks that compute 25 ms and hide nothing."""
    ring_s = ring_all_reduce_s(64, 102.2e6, Link("across", latency_s, bytes_per_s))
    return 100 * 25e-3 / (25e-3 + ring_s)


JUDGE = Judge(
    title="What would 64 GPUs give?",
    properties=(
        Property("compute", "a step computes as long as its largest shard takes", 1),
        Property("exchange", "and exchanges in two rings, over the slowest link they use", 1),
        Property("hidden", "beside the backward, all buckets but the last can hide", 1),
        Property("efficiency", "efficiency, weak and strong, from your own times", 2),
        Property("most", "the largest number of ranks that is efficient enough", 1),
        Property("recipe", "batch, learning rate and steps with more ranks", 1),
    ),
    hints=(
        "Which of three things takes how long: computing, the buckets that leave while the "
        "backward runs, the last one? And what does one rank make in a step, what do n?",
        "Computing: the fixed part, and the samples of the fullest rank. A ring of S bytes: "
        "2 (n - 1) messages of S / n. All but the last bucket: what is left of its ring when the "
        "backward is taken off, at least 0. Weak: one rank's step of `batch` over the ranks' step "
        "of n * batch. Strong: over n times the ranks' step of `batch`.",
        "`computing = work.fixed_s + math.ceil(batch / ranks) * work.sample_s`; `link = net.within "
        "if ranks <= net.per_node else net.across`; `max(0, ring(work.bytes - work.last_bytes) - "
        "work.backward * computing) + ring(work.last_bytes)`. `most_ranks`: `max((n for n in "
        "counts if ...), default=0)`. Steps: `steps * (1 + scale / new_batch) / (1 + scale / "
        "batch)`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "scaling": Prediction(
            "64 GPUs on 10 Gb Ethernet, 25 ms of computing, then a ring for 102.2 MB. Which "
            "efficiency?",
            truth=_on_64(50e-6, 1.25e9),
            unit="%",
            because="126 messages of 1.6 MB take 167 ms, so a step takes 192 ms. The 64 do the "
            "work of 8.",
        ),
        "scaling-infiniband": Prediction(
            "the same on InfiniBand NDR, 50 GB/s and 9.6 µs. Which efficiency?",
            truth=_on_64(9.6e-6, 50e9),
            unit="%",
            because="The ring takes 5.2 ms. The rate is 40 times as high, the time a 32nd: the "
            "latency is a fifth of Ethernet's, and now a quarter of the time.",
        ),
    },
)
