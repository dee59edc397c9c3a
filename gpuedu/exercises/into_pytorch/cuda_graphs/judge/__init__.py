"""cuda-graphs: a step that is captured once and replayed, and when that gains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from gpuedu.exercises.compare import is_close
from gpuedu.exercises.contract import (
    Case,
    Fault,
    Inputs,
    Judge,
    Plain,
    Prediction,
    Property,
    Undecided,
)
from gpuedu.exercises.functions import call_case, right_result

_BY_GRAPH = ("permitted", "inputs", "kept", "replayed")
_MOST_WARM_UPS = 3
_WEIGHTS = (2, 3, -1, -2)
_SHOWN = 2
"""Elements of a tensor that a message shows."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Runs over several inputs, over two and over one; times on both sides of each limit."""
    drawn = [_run_case(rng, *sizes) for sizes in ((7, 6), (4, 3), (2, 5), (1, 4))]
    launch_us = int(rng.integers(40, 60)) / 10
    node_us = int(rng.integers(3, 9)) / 10
    kernels = int(rng.integers(50, 300))
    costs = {"launch_us": launch_us, "node_us": node_us}
    for many, kernel_us, replay_us in (
        (kernels, round(launch_us * 0.6, 2), 10.0),  # bound by launches, and then by kernels
        (kernels, round(launch_us * 4, 2), 10.0),  # by kernels in both
        (kernels, round(launch_us - node_us / 2, 2), 10.0),  # the graph is slower
        (8, 0.2, 15.0),  # bound by launches, and then by the replay
        (1, 1.0, 10.0),
    ):
        given = {"kernels": many, "kernel_us": kernel_us, "replay_us": replay_us}
        drawn.append(call_case("times", "step_times", **given, **costs))
    for many, replay_us, node in (
        (kernels, 10.0, node_us),
        (12, 15.0, node_us),
        (kernels, 10.0, 2 * launch_us),  # a kernel in a graph costs more than a launch
        (1, 10.0, node_us),  # a replay costs more than the launches
        (4, 4 * launch_us, node_us),  # or as much
    ):
        given = {"kernels": many, "launch_us": launch_us, "replay_us": replay_us, "node_us": node}
        drawn.append(call_case("limit", "no_gain_from", **given))
    return drawn


def _run_case(rng: np.random.Generator, count: int, kernels: int) -> Case:
    """Rates that are not whole numbers; of three and more, the last is the first again."""
    weights = [float(one) for one in rng.choice(_WEIGHTS, kernels)]
    xs = [one.astype(np.float64) for one in _different(rng, count)]
    lrs = [float(one) for one in rng.permutation(np.arange(1, 10))[:count] - 0.5]
    if count > 2:
        lrs[-1] = lrs[0]
    inputs = {"weights": weights, "xs": xs, "lrs": lrs}
    told = "1 input" if count == 1 else f"{count} inputs"
    return Case(f"{told}, a step of {kernels} kernels", inputs, _BY_GRAPH)


def _different(rng: np.random.Generator, count: int) -> list[np.ndarray]:
    return list(rng.permutation(np.arange(1, 4 * count + 1)).reshape(count, 4))


def expected(inputs: Inputs) -> list[np.ndarray]:
    """What the step gives for each input."""
    results = []
    for x, lr in zip(inputs["xs"], inputs["lrs"], strict=True):
        for weight in inputs["weights"]:
            x = x * weight + lr
        results.append(x)
    return results


def times_of(
    kernels: int, kernel_us: float, launch_us: float, replay_us: float, node_us: float
) -> Mapping[str, float]:
    """A step's time in a long loop: the longer of the CPU's and the GPU's."""
    return {
        "eager_us": kernels * max(launch_us, kernel_us),
        "graph_us": max(replay_us, kernels * (kernel_us + node_us)),
    }


def limit_of(kernels: int, launch_us: float, replay_us: float, node_us: float) -> float:
    """The shortest kernel for which the graph is not faster."""
    if replay_us >= kernels * launch_us:
        return 0.0
    return max(0.0, launch_us - node_us)


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """A run by a graph; where a capture was refused, the rest says nothing."""
    if "call" in case.inputs:
        return
    if observed["refused"]:
        yield Fault("permitted", f"the capture ended with “{observed['refused'][0]}”")
        for name in _BY_GRAPH[1:]:
            yield Undecided(name, "the capture was not permitted")
        return
    yield from _judge_replays(case, observed)
    yield from _judge_results(case, observed)


def _judge_replays(case: Case, observed: Plain) -> Iterator[Fault]:
    count = len(case.inputs["xs"])
    captures, replays = observed["captures"], len(observed["made"])
    counted = f"{_told(captures, 'capture')} and {_told(replays, 'replay')}"
    if (captures, replays) != (1, count):
        yield Fault("replayed", f"{counted} for {_told(count, 'input')}")
    elif observed["step_calls"] > _MOST_WARM_UPS + 1:
        yield Fault(
            "replayed",
            f"{counted} for {_told(count, 'input')}, but `step` was called "
            f"{observed['step_calls']} times",
        )


def _judge_results(case: Case, observed: Plain) -> Iterator[Fault]:
    """What the replays made, if there is one for each input; then what is left of it at the end."""
    wanted, got, made = expected(case.inputs), observed["got"], observed["made"]
    if observed["changed"] >= 0:
        yield Fault("inputs", f"the x of input {observed['changed']} was changed")
    is_by_replay = len(made) == len(wanted) and all(one is not None for one in made)
    if len(got) != len(wanted):
        said = f"it returned {_told(len(got), 'result')} for {_told(len(wanted), 'input')}"
        yield Fault("kept", said)
    elif not is_by_replay:
        yield Undecided("kept", "there was not one replay of the step for each input")
    else:
        yield from _first_difference("kept", "its replay made", got, made)
    checked = made if is_by_replay else got
    if not made and observed["changed"] < 0:
        yield Undecided("inputs", "nothing was replayed")
    elif len(checked) == len(wanted):
        yield from _first_difference("inputs", "the step gives", checked, wanted)
    else:
        yield Undecided("inputs", "there is not one result for each input")


def _first_difference(
    prop: str, who: str, got: list[np.ndarray], wanted: list[np.ndarray]
) -> Iterator[Fault]:
    for i, (one, other) in enumerate(zip(got, wanted, strict=True)):
        if one.shape != other.shape or not all(map(_is_same, one.flat, other.flat)):
            shown = "the result was" if prop == "inputs" else "the result that you returned is"
            yield Fault(prop, f"input {i}: {shown} {_show(one)}, and {who} {_show(other)}")
            return


def _is_same(got: float, wanted: float) -> bool:
    return bool(np.isnan(got) and np.isnan(wanted)) or is_close(float(got), float(wanted), 1e-9)


def _show(values: np.ndarray) -> str:
    told = ", ".join(f"{one:g}" for one in values.flat[:_SHOWN])
    return f"[{told}{', …' if values.size > _SHOWN else ''}]"


def _told(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


JUDGE = Judge(
    title="Replay a step at the cost of one launch",
    properties=(
        Property(
            "permitted",
            "nothing is captured that a capture refuses",
            1,
            "What does the CPU do between the start and the end of the capture?",
            after=("replayed",),
        ),
        Property(
            "inputs",
            "each replay works on its own x and lr, and the inputs stay as they are",
            1,
            "From which memory do the captured kernels read, and what is in it at this replay?",
        ),
        Property(
            "kept",
            "when all is done, each result is still what its own replay made",
            1,
            "Into which memory does each replay write, and when is it read?",
        ),
        Property(
            "replayed",
            "one capture in all, and one replay for each input",
            1,
            "For 1,000 inputs, how often may there be a capture, a replay, and a call of `step`?",
        ),
        right_result(
            "times",
            "the times of a step, without and with a graph, are right",
            1,
            {"step_times": times_of},
            asks="How long is the CPU busy for a step, how long the GPU, and which of the two "
            "decides?",
        ),
        right_result(
            "limit",
            "the shortest kernel time at which a graph gains nothing is right",
            1,
            {"no_gain_from": limit_of},
            unit="µs",
            asks="For which kernel time do both of your times come out equal? Is there always one?",
        ),
    ),
    hints=(
        "A capture notes where each kernel reads and writes. So make the memory first: a copy of "
        "the first x, and a tensor for lr. What must happen to that memory before each replay?",
        "Before the loop: the two static inputs, one call of `step` to warm up, the graph, and the "
        "capture of a second call. In the loop: `copy_`, `fill_`, `replay()`, and a copy of the "
        "result.",
        "`with device.graph(graph): static_y = step(static_x, static_lr)`, and at the end of the "
        "loop's body `results.append(static_y.clone())`. For the times: `max` of two products "
        "without a graph, and of `replay_us` and a product with one. They are equal where "
        "`kernel_us + node_us` is `launch_us`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "cuda-graphs": Prediction(
            "A step launches 200 kernels of 3 µs each, and each launch takes the CPU 5 µs. What "
            "share of the time is the GPU idle?",
            truth=40.0,
            unit="%",
            because="A kernel comes every 5 µs and is done after 3: the GPU waits 2 of every 5 µs. "
            "A profiler would show a GPU that does something all the time, with gaps.",
        )
    },
)
