"""offload: gradients down, an update on the host, weights up, all at the same time."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict
from fractions import Fraction

import numpy as np

from gpuedu.exercises.contract import (
    Case,
    Fault,
    Judge,
    Plain,
    Prediction,
    Property,
    Test,
    Undecided,
)
from gpuedu.exercises.sharding.offload.offload_runs import BUFFERS, OffloadTask
from gpuedu.units import MB, MS

SLACK = 1.03
_STEP = ("updated", "order", "once", "memory", "overlap")
_FLOP, _SENT_BYTES, _HOST_BYTES = 4, 2, 28
"""For each parameter: operations of the backward pass for a token, bytes one way, of an update."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Each stage as the slowest, few layers, and rates of which either is the limit."""
    kinds = (
        ("a long backward pass", 6, 20, 10, 15),
        ("a slow link", 6, 8, 20, 10),
        ("a slow host", 6, 10, 8, 20),
        ("all nearly alike", 8, 20, 19, 18),
        ("few layers", 2, 20, 10, 15),
        ("a single layer", 1, 20, 10, 15),
    )
    drawn = []
    for label, layers, *tenths in kinds:
        times_s = [round(one * rng.uniform(0.95, 1.05) * 1e-4, 7) for one in tenths]
        task = OffloadTask(layers, *times_s, seed=int(rng.integers(2**20)))
        named = zip(("backward", "link", "host"), times_s, strict=True)
        told = ", ".join(f"{name} {time_s / MS:.3g} ms" for name, time_s in named)
        label = f"{label} ({layers} layer{'s' * (layers != 1)}: {told})"
        drawn.append(Case(label, {"task": asdict(task)}, _STEP))
    rates = [_rates(rng, *limits) for limits in ((64, 300), (16, 300), (64, 900), (450, 500))]
    rates.append((1e9, 64e9, 300e9))  # a single token is enough
    # Rates that are powers of 2: the result is a whole number, and no product is rounded.
    rates.append((2.0 ** int(rng.integers(48, 51)), 2.0**36, 2.0**40))
    return [*drawn, Case("tokens for six pairs of rates", {"rates": rates}, ("tokens",))]


def _rates(rng: np.random.Generator, link: float, host: float) -> tuple[float, float, float]:
    """Rates of a device, a link and a host's memory; the result is no whole number by itself."""
    while True:
        flop, *gigabytes = (one * rng.uniform(0.9, 1.1) for one in (400, link, host))
        rates = tuple(round(one, 1) for one in (flop, *gigabytes))
        flop_per_s, link_per_s, host_per_s = rates[0] * 1e12, rates[1] * 1e9, rates[2] * 1e9
        whole = exact_tokens(flop_per_s, link_per_s, host_per_s)
        if 0.01 < whole % 1 < 0.99:
            return flop_per_s, link_per_s, host_per_s


def exact_tokens(flop_per_s: float, link_bytes_per_s: float, host_bytes_per_s: float) -> Fraction:
    """From how many tokens on the backward pass takes as long as the slower of the other two.

    >>> exact_tokens(400e12, 64e9, 300e9)
    Fraction(28000, 3)
    """
    link_s = Fraction(_SENT_BYTES) / Fraction(link_bytes_per_s)
    host_s = Fraction(_HOST_BYTES) / Fraction(host_bytes_per_s)
    return Fraction(flop_per_s) * max(link_s, host_s) / _FLOP


def _test_tokens(case: Case, observed: Plain) -> Iterable[Fault]:
    for rates, got in zip(case.inputs["rates"], observed["tokens"], strict=True):
        wanted = max(1, math.ceil(exact_tokens(*rates)))
        if got != wanted:
            call = ", ".join(f"{one:.4g}" for one in rates)
            told = f"`tokens_to_hide({call})` is {got:,g}, expected {wanted:,}"
            asks = "Is it a whole number, and are that many enough?"
            yield Fault("tokens", told, asks if wanted - 1 < got <= wanted else "")
            return


def _first_wrong(case: Case, observed: Plain) -> str:
    """What is wrong with the first layer that has not the new weights, or ""."""
    task = OffloadTask(**case.inputs["task"])
    pairs = zip(observed["weights"], task.updated(), task.weights(), strict=True)
    for layer, (got, true, old) in enumerate(pairs):
        if got is not None and np.allclose(got, true, rtol=1e-9, atol=0):
            continue
        told = "something else"
        if got is None:
            told = "missing"
        elif np.array_equal(got, old):
            told = "the old ones"
        return f"the weights of layer {layer} on the device are {told} after the step"
    return ""


def _test_updated(case: Case, observed: Plain) -> Iterable[Fault]:
    wanted = list(reversed(range(len(observed["weights"]))))
    if wrong := _first_wrong(case, observed):
        yield Fault("updated", wrong)
    elif observed["order"] != wanted:
        told = ", ".join(map(str, observed["order"]))
        yield Fault("updated", f"the layers went backward in the order {told}")


def _if_updated(name: str, test: Test) -> Test:
    """The same test, undecided where the weights are not the new ones."""

    def tested(case: Case, observed: Plain) -> Iterable[Fault]:
        if wrong := _first_wrong(case, observed):
            yield Undecided(name, f"not judged: {wrong}")
        else:
            yield from test(case, observed)

    return tested


def _test_order(case: Case, observed: Plain) -> Iterable[Fault]:
    for race in observed["races"][:1]:
        yield Fault("order", race)


def _test_once(case: Case, observed: Plain) -> Iterable[Fault]:
    for name, way in (("gradients_copied", "to the host"), ("weights_copied", "to the device")):
        what = name.removesuffix("s_copied")
        for layer, times in enumerate(observed[name]):
            if times != 1:
                yield Fault("once", f"the {what} of layer {layer} went {way} {times} times")
                return


def _test_memory(case: Case, observed: Plain) -> Iterable[Fault]:
    most = BUFFERS * OffloadTask(**case.inputs["task"]).size_bytes
    if observed["device_bytes"] > most:
        yield Fault(
            "memory",
            f"{observed['device_bytes'] / MB:.4g} MB were allocated on the device; the gradients "
            f"of {BUFFERS} layers are {most / MB:.4g} MB",
        )


def _test_overlap(case: Case, observed: Plain) -> Iterable[Fault | Undecided]:
    task, took_s = OffloadTask(**case.inputs["task"]), observed["end_s"]
    if observed["races"]:
        yield Undecided("overlap", f"it takes {took_s / MS:.4g} ms, with a race")
    elif took_s > SLACK * task.best_s:
        yield Fault(
            "overlap",
            f"it takes {took_s / MS:.4g} ms, and {task.best_s / MS:.4g} ms can be reached; one "
            f"after the other it is {task.in_turn_s / MS:.4g} ms",
        )


JUDGE = Judge(
    title="The optimizer on the host",
    properties=(
        Property(
            "updated",
            "the layers go backward in order, and the device gets all new weights",
            1,
            "Follow a layer's gradient. Where does it go until the layer's new weights are on the "
            "device?",
            _test_updated,
        ),
        Property(
            "order",
            "no race: nothing is read before it is there, or overwritten while it is needed",
            1,
            "Who waits for what, before each of the two uses?",
            _if_updated("order", _test_order),
        ),
        Property(
            "once",
            "each gradient and each layer's weights go over the link once",
            0.5,
            "How often does each byte travel, and how often does it have to?",
            _if_updated("once", _test_once),
        ),
        Property(
            "memory",
            "at most two layers' gradients are on the device",
            1,
            "When does the device no longer need a gradient?",
            _if_updated("memory", _test_memory),
        ),
        Property(
            "overlap",
            "computing, both ways of the link and the host work at the same time",
            1.5,
            "Which lane is idle in the picture? What does it wait for, and when was its next work "
            "issued?",
            _if_updated("overlap", _test_overlap),
        ),
        Property(
            "tokens",
            "`tokens_to_hide`: the fewest tokens with which the backward pass hides the rest",
            1,
            "How long does each of the four take for one parameter?",
            _test_tokens,
        ),
    ),
    hints=(
        "Issue the whole backward pass first: kernels on one stream, copies of gradients on "
        "another, with events between them. The host has nothing to wait for until then. What does "
        "it wait for before it updates the last layer?",
        "Layer k uses the gradient buffer of layer k + 2, so its kernel waits for that copy. After "
        "all is issued, the host goes through the layers in the same order: wait for the copy of "
        "this layer, update it, issue the copy of its weights on a third stream.",
        "First loop, from the last layer: `run.wait_event(copied[k + 2])` where there is one, "
        "launch, `done.record(run)`, `down.wait_event(done)`, copy, `copied[k].record(down)`. "
        "Second loop: `copied[k].synchronize()`, `update(k)`, "
        "`device.copy(weights[k], updated[k], up)`. At the end `device.synchronize()`.",
    ),
    cases=cases,
    seeds=3,
    predictions={
        "offload": Prediction(
            "a GPU computes a backward pass at 400 TFLOP/s. Each way of its link carries 64 GB/s, "
            "and the CPU's memory 300 GB/s. How many tokens does a batch need, at the very least, "
            "so that the GPU waits only for the last layer's round trip?",
            truth=9334,
            unit="tokens",
            because="The link takes 2 bytes / 64 GB/s for a parameter, which 3,125 tokens hide. "
            "But the host's update reads and writes 28 bytes at 300 GB/s, which takes three times "
            "as long: it isn't the link that decides.",
        ),
    },
)
