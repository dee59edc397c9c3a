"""compile-it: one graph for a layer, compiled once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

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
from gpuedu.exercises.training.properties import differing, of_each, of_largest

_LIMIT, _WARMUP = 4.0, 4
_INNER, _HIDDEN, _OUT = 6, 5, 3
_REL = 1e-4
_GIVEN = "in `layer_as_given`"
_LOW, _HIGH = 0.7, 9.0
"""Peaks that are drawn: below and above the limit in every draw."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Values first; then calls that differ in values alone, in batches, in gain and step."""
    batches = [int(one) for one in rng.permutation(np.arange(3, 14))[:4]]
    gains = [round(float(one), 3) for one in rng.permutation(np.linspace(0.3, 1.9, 9))[:4]]
    first, *others = batches
    gain, *later = gains
    return [
        _case(
            rng,
            "values",
            "six calls",
            [
                (others[0], gain, _WARMUP + 2, _LOW),
                (first, later[0], _WARMUP, _HIGH),
                (1, later[1], 0, _LOW),
                (others[1], later[2], 2, _HIGH),
                (others[2], gain, _WARMUP - 1, _LOW),
                (2, gain, 40, _HIGH),
            ],
            ("out", "peak"),
        ),
        _case(
            rng,
            "graphs",
            "calls that differ in values alone",
            [(first, gain, _WARMUP + 1, peak) for peak in (_LOW, _HIGH, _LOW, _LOW)],
            ("graph",),
        ),
        _case(
            rng,
            "graphs",
            "calls with other batch sizes",
            [(batch, gain, _WARMUP + 1, _LOW) for batch in (first, first, *others)],
            ("batch",),
        ),
        _case(
            rng,
            "graphs",
            "calls with another gain, then other steps",
            [
                *((first, gain, 2, _LOW), (first, gain, 2, _LOW), (first, later[0], 2, _LOW)),
                *((first, later[1], 2, _LOW), (first, later[1], 3, _LOW)),
                *((first, later[1], _WARMUP, _LOW), (first, later[1], _WARMUP + 1, _LOW)),
            ],
            ("numbers",),
        ),
    ]


def _case(
    rng: np.random.Generator,
    ask: str,
    label: str,
    calls: list[tuple[int, float, int, float]],
    decides: tuple[str, ...],
) -> Case:
    """A case of calls, each a batch size, a gain, a step, and the peak that its values have."""
    w = rng.normal(size=(_INNER, _HIDDEN)).astype(np.float32)
    v = rng.normal(size=(_HIDDEN, _OUT)).astype(np.float32)
    given = []
    for batch, gain, step, peak in calls:
        x = rng.normal(size=(batch, _INNER))
        x *= peak * rng.uniform(0.8, 1.2) / np.abs(x @ w).max()
        given.append({"x": x.astype(np.float32), "gain": gain, "step": step})
    return Case(label, {"ask": ask, "w": w, "v": v, "calls": given}, decides)


def right_outputs(inputs: Inputs) -> tuple[list[np.ndarray], list[float]]:
    """Outputs and peaks of all calls, in float64."""
    w, v = (inputs[name].astype(np.float64) for name in ("w", "v"))
    outs, peaks = [], []
    for call in inputs["calls"]:
        h = call["x"].astype(np.float64) @ w
        peaks.append(float(np.abs(h).max()))
        h *= min(1.0, _LIMIT / peaks[-1])
        h /= 1 + np.linalg.norm(h, axis=1, keepdims=True)
        scale = call["gain"] * min(1.0, (call["step"] + 1) / _WARMUP)
        outs.append(np.tanh(scale * h) @ v)
    return outs, peaks


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Values as those of the given layer; graphs as TorchDynamo made them."""
    if case.inputs["ask"] == "values":
        yield from _value_faults(case, observed)
        return
    told = list(_graph_faults(case, observed))
    (prop,) = case.decides
    for at, (got, wanted) in enumerate(
        zip(observed["outs"], right_outputs(case.inputs)[0], strict=True)
    ):
        found = np.asarray(got, dtype=np.float64)
        room = _REL * np.abs(wanted).max()
        if found.shape != wanted.shape or not np.allclose(found, wanted, rtol=0, atol=room):
            call = _said(case.inputs["calls"][at])
            yield Undecided(prop, f"compiled, it gives another output than {_GIVEN[3:]} ({call})")
            return
    yield from told if prop == "graph" else _again_faults(prop, case, observed)


def _value_faults(case: Case, observed: Plain) -> Iterator[Fault]:
    outs, peaks = right_outputs(case.inputs)
    room = of_largest(_REL)
    for at, (got, wanted) in enumerate(zip(observed["outs"], outs, strict=True)):
        call = _said(case.inputs["calls"][at])

        def place(row: int, column: int, call: str = call) -> str:
            return f"{call}: `out[{row}, {column}]`"

        faults = list(differing("out", got, wanted, room=room, place=place, of=_GIVEN))
        yield from faults
        if faults:
            break

    def peak(at: int) -> str:
        return f"{_said(case.inputs['calls'][at])}: `peak`"

    wanted = np.asarray(peaks)
    yield from differing(
        "peak", observed["peaks"], wanted, room=of_each(_REL), place=peak, of=_GIVEN
    )


def _graph_faults(case: Case, observed: Plain) -> Iterator[Fault]:
    ran, compiled = observed["ran"], observed["compiled"]
    if observed["ends"]:
        place = f" at `{observed['line']}`" if observed["line"] else ""
        told = f"{ran[0]} graphs in the first call: the first one ends{place}"
        if ran[0] == 1:
            told = f"the graph of the first call ends{place}, before the function does"
        yield Fault("graph", f"{told} ({observed['ends']})")
    elif ran[0] != 1:
        yield Fault("graph", f"{ran[0]} graphs ran in the first call")
    elif any(compiled[1:]):
        yield _again("graph", case, observed, next(at for at in range(1, 9) if compiled[at]))


def _again_faults(prop: str, case: Case, observed: Plain) -> Iterator[Fault]:
    ran, compiled = observed["ran"], observed["compiled"]
    if not ran[0]:
        yield Undecided(prop, "no graph ran")
    elif compiled[1]:
        yield Undecided(prop, "the same call compiles again when nothing has changed")
    elif prop == "batch" and observed["refused"]:
        place = f", in `{observed['fixed']}`" if observed["fixed"] else ""
        yield Fault(prop, f"TorchDynamo refuses: {observed['refused']}{place}")
    elif any(compiled[2:]):
        first = next(at for at, count in enumerate(compiled[2:], 2) if count)
        yield _again(prop, case, observed, first)


def _again(prop: str, case: Case, observed: Plain, at: int) -> Fault:
    count = sum(observed["compiled"][1:])
    times = "once more" if count == 1 else f"{count} times more"
    call = _said(case.inputs["calls"][at])
    reason = observed["reasons"][at]
    why = f". The guard that failed: {reason}" if reason else ""
    calls = len(case.inputs["calls"])
    return Fault(
        prop, f"in {calls} calls it compiled {times}, first in call {at + 1} ({call}){why}"
    )


def _said(call: Inputs) -> str:
    return f"batch {len(call['x'])}, gain {call['gain']:g}, step {call['step']}"


JUDGE = Judge(
    title="One graph, compiled once",
    properties=(
        Property(
            "out",
            "the output is that of `layer_as_given`",
            2.5,
            asks="Which lines of `layer_as_given` does that call run, and what does yours compute "
            "in their place?",
        ),
        Property(
            "peak",
            "so is the peak",
            1,
            asks="Of which numbers does `layer_as_given` take the peak, and when?",
        ),
        Property(
            "graph",
            "one graph from the first line to the last, and it serves the next call",
            1.5,
            asks="What does Python have to know, or do, on that line?",
            after=("out",),
        ),
        Property(
            "batch",
            "another batch size compiles nothing",
            1,
            asks="Which size does the graph take as fixed, and who told TorchDynamo that it isn't?",
            after=("out",),
            waits_for=("graph",),
        ),
        Property(
            "numbers",
            "neither does another gain or another step",
            1,
            asks="What does the layer get as `scale`: a number that Python knows, or a tensor?",
            after=("out",),
        ),
    ),
    hints=(
        "Go through `layer_as_given` line by line: which lines need a tensor's *value* in Python, "
        "and which only its shape? Then: what changes from call to call, and does the graph see it "
        "as a tensor, or as a number that Python knows?",
        "An `if` on a value becomes arithmetic that always runs: a factor that is 1 where nothing "
        "has to be done (`torch.clamp`, `torch.where`). A loop over rows becomes a reduction along "
        "`dim=1` with `keepdim=True`. What Python wants to keep, the layer returns.",
        "In `arguments`: `torch._dynamo.mark_dynamic(x, 0)`, and `torch.tensor(...)` of the gain "
        "times `min(1.0, (step + 1) / WARMUP)`. In `layer`: `h * (LIMIT / peak).clamp(max=1)`, "
        "then `h / (1 + h.norm(dim=1, keepdim=True))`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "compile-it": Prediction(
            "Which of the numbered lines end a graph?",
            truth="1 and 2",
            choices=("only 1", "1 and 2", "1, 2 and 3", "all four"),
            because="`.item()` and an `if` on a tensor need its value, which a graph doesn't have "
            "yet. The loop over rows and the `if` on an int are run while the graph is traced: "
            "they end nothing, but the graph is then right only for that many rows and that side "
            "of the `if`.",
        )
    },
    seeds=3,
    varies=("reasons", "line", "refused", "fixed"),
)
