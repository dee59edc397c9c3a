"""scaling: what a step costs on more ranks, and what that is worth."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from gpuedu.exercises.compare import is_close, number_fault, show, show_apart
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.ddp_in_practice.scaling.judge.scaling_cases import cases
from gpuedu.exercises.ddp_in_practice.scaling.judge.scaling_truth import (
    efficiency,
    recipe,
    step_s,
)
from gpuedu.exercises.ddp_in_practice.scaling.scaling_model import net_of, work_of
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
    call = f"step_s({ranks}, {batch}, work, net)"
    expected = step_s(ranks, batch, *model)
    for fault in number_fault(prop, call, observed["got"], expected, unit="s"):
        yield Fault(prop, f"{fault.message}, where {_told(inputs)}")


def _told(inputs: Mapping[str, Any]) -> str:
    work, net = inputs["work"], inputs["net"]
    numbers = ", ".join(f"{name} {show(value)}" for name, value in work.items())
    links = "; ".join(
        f"{name} {show(net[name][0])} s and {show(net[name][1])} bytes/s"
        for name in ("within", "across")
    )
    return f"work has {numbers}, and net {net['per_node']} a node; {links}"


def _judge_efficiency(prop: str, inputs: Mapping[str, Any], observed: Plain) -> Iterable[Fault]:
    ranks, batch, scaling = inputs["ranks"], inputs["batch"], inputs["scaling"]
    got, (alone, weak, strong) = observed["got"], observed["own"]
    true = efficiency(ranks, batch, work_of(inputs), net_of(inputs), scaling)
    own = _ratio(alone, weak if scaling == "weak" else ranks * strong)
    if is_close(got, true, _REL) or is_close(got, own, _REL):
        return
    expected = own if math.isfinite(own) else true
    told, wanted = show_apart(got, expected)
    yield Fault(
        prop,
        f'`efficiency({ranks}, {batch}, work, net, "{scaling}")` gave {told}, expected {wanted}: '
        f"your `step_s` gives {show(alone)} s for {batch} samples on 1 rank, {show(weak)} s for "
        f"{ranks * batch} and {show(strong)} s for {batch} on {ranks}",
    )


def _ratio(a: float, b: float) -> float:
    return a / b if b else float("nan")


def _judge_most(prop: str, inputs: Mapping[str, Any], observed: Plain) -> Iterable[Fault]:
    counts, least, got = inputs["counts"], inputs["least"], observed["got"]
    model = inputs["batch"], work_of(inputs), net_of(inputs), inputs["scaling"]
    true = [efficiency(n, *model) for n in counts]
    ways = (true, *([observed["own"]] if any(observed["own"]) else []))
    if got in {_most(counts, found, least) for found in ways}:
        if not observed["kept"]:
            told = "after `most_ranks(counts, ...)`, the list `counts` is not what it was before"
            yield Fault(prop, told)
        return
    own = observed["own"] if all(map(math.isfinite, observed["own"])) else true
    expected = _most(counts, own, least)
    table = ", ".join(f"{n}: {e:.3g}" for n, e in zip(counts, own, strict=True))
    yield Fault(
        prop,
        f"`most_ranks({list(counts)}, {least:.3g}, ...)` gave {got}, expected {expected}; "
        f"efficiencies by ranks are {table}",
    )


def _most(counts: Iterable[int], found: Iterable[float], least: float) -> int:
    pairs = zip(counts, found, strict=True)
    return max((n for n, reached in pairs if reached >= least), default=0)


_RECIPE = ("batch", "peak", "steps")


def _judge_recipe(prop: str, inputs: Mapping[str, Any], observed: Plain) -> Iterable[Fault]:
    names = ("ranks", "batch", "peak", "steps", "scale", "optimizer")
    given = {name: inputs[name] for name in names}
    wanted = recipe(**given)
    for name, got, true in zip(_RECIPE, observed["got"], wanted, strict=True):
        if not is_close(got, true, _REL):
            told, expected = show_apart(got, true)
            call = ", ".join(
                f'"{value}"' if isinstance(value, str) else show(value) for value in given.values()
            )
            yield Fault(prop, f"`recipe({call})`: {name} is {told}, expected {expected}")
            return


def _on_64(latency_s: float, bytes_per_s: float) -> float:
    """Weak efficiency in percent of 64 ranks that compute 25 ms and hide nothing."""
    ring_s = ring_all_reduce_s(64, 102.2e6, Link("across", latency_s, bytes_per_s))
    return 100 * 25e-3 / (25e-3 + ring_s)


_OWN = ("compute", "exchange", "hidden")
"""Of which one has to be right for efficiencies from the learner's own times to count."""

JUDGE = Judge(
    title="What would 64 GPUs give you?",
    properties=(
        Property(
            "compute",
            "a step computes for as long as its largest shard takes",
            1,
            "What takes time however few samples there are, and how many does the fullest rank "
            "have?",
        ),
        Property(
            "exchange",
            "and exchanges in two rings, over the slowest link they use",
            1,
            "Is computing alone right, and is nothing hidden where `backward` is 0? If so: how "
            "many messages does each ring send, of how many bytes, and over which link?",
        ),
        Property(
            "hidden",
            "during the backward pass, all buckets but the last can be hidden",
            1,
            "Are computing and both rings right by themselves? If so: which bytes can travel "
            "during the backward pass, for how long, and what is left of them?",
        ),
        Property(
            "efficiency",
            "efficiency, weak and strong, from your own times",
            2,
            "Which step is that of a single rank, which is that of all, how many samples does "
            "each of them have, and what is `ranks` times one?",
            after=_OWN,
        ),
        Property(
            "most",
            "the largest number of ranks that is efficient enough; the list is left alone",
            1,
            "Which of the counts are efficient enough, and which of these is the largest?",
            after=_OWN,
        ),
        Property(
            "recipe",
            "batch, learning rate and steps with more ranks",
            1,
            "What grows with the ranks, by which rule, and how many steps follow from that?",
        ),
    ),
    hints=(
        "How long does each of three things take: computing, the buckets that leave during the "
        "backward pass, and the last bucket? And what does one rank get done in a step, and what "
        "do n?",
        "Computing: the fixed part, and the samples of the fullest rank. A ring of S bytes: 2 (n "
        "- 1) messages of S / n. All but the last bucket: what is left of its ring when the "
        "backward pass is subtracted, at least 0. Weak: the time of one rank's step of `batch`, "
        "divided by that of the n ranks' step of n * batch. Strong: divided by n times that of "
        "the n ranks' step of `batch`.",
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
            "64 GPUs on 10 Gb Ethernet, 25 ms of computing, then a ring for 102.2 MB. What is the "
            "efficiency?",
            truth=_on_64(50e-6, 1.25e9),
            unit="%",
            because="126 messages of 1.6 MB take 167 ms, so a step takes 192 ms. The 64 do the "
            "work of 8.",
        ),
        "scaling-infiniband": Prediction(
            "the same on InfiniBand NDR, 50 GB/s and 9.6 µs. What is the efficiency?",
            truth=_on_64(9.6e-6, 50e9),
            unit="%",
            because="The ring takes 5.2 ms. The rate is 40 times as high, but the time is 1/32 of "
            "Ethernet's: the latency is still a fifth of Ethernet's, and is now a quarter "
            "of the time.",
        ),
    },
)
