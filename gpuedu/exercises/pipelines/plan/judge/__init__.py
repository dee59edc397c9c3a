"""plan: what a plan takes, and the fastest one that fits, held against all plans there are."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from gpuedu.exercises.contract import (
    Case,
    Fault,
    Judge,
    Plain,
    Prediction,
    Property,
    Undecided,
)
from gpuedu.exercises.functions import (
    arguments_of,
    call_case,
    result_faults,
    right_result,
)
from gpuedu.exercises.pipelines import plan_costs as costs
from gpuedu.exercises.pipelines.parallel_plans import (
    Cluster,
    Model,
    Plan,
    plain,
    why_impossible,
)
from gpuedu.exercises.pipelines.plan.judge.drawn import (
    CHOICES,
    HOPELESS,
    costed,
    draw_choice,
    vary,
)
from gpuedu.exercises.pipelines.plan.play import MEMORY, TIMES

_FINDS = ("possible", "fits", "fastest")
_NEAR = 1e-6
Test = Callable[[Case, Plain], Iterator[Fault]]


def cases(rng: np.random.Generator) -> list[Case]:
    """Plans in which each term counts, and choices that every forgotten term would change."""
    found = [call_case(decides, call, **given) for decides, call, given in costed(rng)]
    for model, cluster in CHOICES:
        found.append(_choice(_FINDS, model, vary(cluster, rng)))
    for model, cluster in HOPELESS:
        found.append(_choice(("none",), model, vary(cluster, rng)))
    found += [_choice(_FINDS, *draw_choice(rng, fits=True)) for _ in range(3)]
    return [*found, _choice(("none",), *draw_choice(rng, fits=False))]


def _choice(decides: tuple[str, ...], model: Model, cluster: Cluster) -> Case:
    given = {"model": plain(model), "cluster": plain(cluster)}
    return call_case(decides, "best_plan", **given)


def memory(model: Mapping[str, Any], plan: Mapping[str, Any]) -> dict[str, float]:
    """Bytes of the first stage, by the names of the play."""
    found = costs.kept_bytes(Model(**model), Plan(**plan)).values()
    return dict(zip(MEMORY, found, strict=True))


def times(
    model: Mapping[str, Any], cluster: Mapping[str, Any], plan: Mapping[str, Any]
) -> dict[str, float]:
    """Seconds of a step, by the names of the play."""
    found = costs.times_s(Model(**model), Cluster(**cluster), Plan(**plan)).values()
    return dict(zip(TIMES, found, strict=True))


def _part(whole: Callable[..., dict[str, float]], *names: str) -> Callable[..., dict[str, float]]:
    def of(**given: Any) -> dict[str, float]:
        found = whole(**given)
        return {name: found[name] for name in names}

    return of


def _given(case: Case) -> tuple[Model, Cluster]:
    return Model(**case.inputs["model"]), Cluster(**case.inputs["cluster"])


def _chosen(name: str, test: Callable[[Model, Cluster, Plan, Plain], str]) -> Test:
    """A test of the plan that was chosen: what is wrong with it, or "".

    Undecided where an earlier test has something to say of it: no plan, a broken rule, memory.
    """

    def tested(case: Case, observed: Plain) -> Iterator[Fault]:
        model, cluster = _given(case)
        if not observed["plan"]:
            best = costs.fastest(model, cluster)
            told = f"{_said(model, cluster)} gave None, but {best} fits"
            yield Fault(name, told) if name == "fastest" else Undecided(name, told)
            return
        plan = Plan(*observed["plan"])
        wrong = why_impossible(model, cluster, plan)
        if wrong and name != "possible":
            yield Undecided(name, f"the plan is not possible: {wrong}")
        elif told := test(model, cluster, plan, observed):
            yield from _blamed(name, model, cluster, plan, observed, told)

    return tested


def _blamed(
    name: str, model: Model, cluster: Cluster, plan: Plan, observed: Plain, told: str
) -> Iterator[Fault]:
    """A fault, unless their own numbers for a possible plan are off: then these are to blame."""
    own: tuple[str, Any, dict[str, float]] | None = None
    if name == "fits":
        own = "memory_bytes", observed["memory"], costs.kept_bytes(model, plan)
    elif name == "fastest":
        own = "times_s", observed["times"], costs.times_s(model, cluster, plan)
    if own:
        function, got, wanted = own
        if not np.allclose(got, list(wanted.values()), rtol=_NEAR, atol=0):
            yield Undecided(name, f"`{function}` is not right yet for {plan}")
            return
    yield Fault(name, f"{_said(model, cluster)} gave {plan}: {told}")


def _said(model: Model, cluster: Cluster) -> str:
    billions = model.parameters / 1e9
    nodes = f"nodes of {cluster.per_node}, {cluster.memory_bytes / 1e9:.3g} GB each"
    return (
        f"`best_plan` for {billions:.3g} billion parameters, {model.layers} layers, {model.heads} "
        f"heads, a batch of {model.batch} x {model.length} tokens, on {cluster.ranks} GPUs "
        f"({nodes})"
    )


def _impossible(model: Model, cluster: Cluster, plan: Plan, observed: Plain) -> str:
    return why_impossible(model, cluster, plan)


def _too_large(model: Model, cluster: Cluster, plan: Plan, observed: Plain) -> str:
    if costs.fits(model, cluster, plan):
        return ""
    need = costs.need_bytes(model, plan)
    return f"it needs {need / 1e9:.4g} GB of {cluster.memory_bytes / 1e9:.4g} GB"


def _slow(model: Model, cluster: Cluster, plan: Plan, observed: Plain) -> str:
    best = costs.fastest(model, cluster)
    assert best is not None
    took, least = (costs.step_s(model, cluster, one) for one in (plan, best))
    if took <= least * (1 + _NEAR):
        return ""
    need, has = costs.need_bytes(model, best), cluster.memory_bytes
    return (
        f"it takes {took:.4g} s; {best} takes {least:.4g} s and fits, "
        f"with {need:,.0f} of {has:,.0f} bytes"
    )


def _test_fastest(case: Case, observed: Plain) -> Iterator[Fault]:
    model, cluster = _given(case)
    plan = Plan(*observed["plan"]) if observed["plan"] else None
    is_possible = plan and not why_impossible(model, cluster, plan)
    if is_possible and not costs.fits(model, cluster, plan):
        yield Undecided("fastest", "the plan does not fit")
        return
    yield from _chosen("fastest", _slow)(case, observed)


def _test_none(case: Case, observed: Plain) -> Iterator[Fault]:
    if not observed["plan"]:
        return
    model, cluster = _given(case)
    plan = Plan(*observed["plan"])
    wrong = _impossible(model, cluster, plan, observed)
    told = wrong or _too_large(model, cluster, plan, observed)
    if wrong:
        yield Fault("none", f"{_said(model, cluster)} gave {plan}: {told}; none fits")
    else:
        for fault in _blamed("fits", model, cluster, plan, observed, f"{told}; none fits"):
            yield type(fault)("none", fault.message)


def _test_pipeline(case: Case, observed: Plain) -> Iterator[Fault]:
    """The bubble may be that of their own times, so that a mistake in these is told once."""
    truth, plan = times(**arguments_of(case)), case.inputs["plan"]
    wanted = {name: truth[name] for name in TIMES[2:4]}
    own = (plan["pipeline"] - 1) / plan["micro_batches"] * sum(observed[one] for one in TIMES[:3])
    if math.isfinite(own) and math.isclose(observed[TIMES[3]], own, rel_tol=_NEAR):
        wanted[TIMES[3]] = observed[TIMES[3]]
    yield from result_faults("pipeline", case, observed, wanted)


JUDGE = Judge(
    title="The plan for a cluster",
    properties=(
        right_result(
            "parameters",
            "`memory_bytes`: weights, gradients and states, as ZeRO shards them",
            1,
            {"memory_bytes": _part(memory, MEMORY[0])},
            asks="How many parameters does a rank compute with? And which of the three kinds of "
            "bytes does this stage shard?",
        ),
        right_result(
            "activations",
            "`memory_bytes`: activations of the micro-batches in flight",
            1,
            {"memory_bytes": _part(memory, MEMORY[1])},
            asks="How many tokens does one micro-batch of a rank have, how many layers does the "
            "stage have, and how many micro-batches' activations does it keep?",
        ),
        right_result(
            "computing",
            "`times_s`: computing, spread over all ranks",
            0.5,
            {"times_s": _part(times, TIMES[0])},
            asks="How many operations does the whole step take, and how many ranks share them?",
        ),
        right_result(
            "tensor",
            "`times_s`: the all-reduces of tensor parallelism",
            1,
            {"times_s": _part(times, TIMES[1])},
            asks="How many all-reduces does one rank take part in during a step, how large is each "
            "of them, and over which link do they go?",
        ),
        Property(
            "pipeline",
            "`times_s`: messages between stages, and the bubble",
            1,
            "What does a rank send for each micro-batch, and to how far away? And if each "
            "micro-batch takes that long, how long is a stage idle?",
            _test_pipeline,
        ),
        right_result(
            "data",
            "`times_s`: gradients and weights between data-parallel ranks",
            1,
            {"times_s": _part(times, TIMES[4])},
            asks="How many reduce-scatters and all-gathers does this stage of ZeRO need in a step, "
            "of how many bytes, and over which link?",
        ),
        Property(
            "possible",
            "`best_plan` uses all ranks, and cuts everything evenly",
            0.5,
            "Multiply the three numbers of ranks. And which number must each of them divide?",
            _chosen("possible", _impossible),
        ),
        Property(
            "fits",
            "`best_plan` finds a plan that fits",
            1,
            "What does a rank of the first stage need, all in all?",
            _chosen("fits", _too_large),
        ),
        Property(
            "fastest",
            "`best_plan` finds the fastest one",
            1.5,
            "Does it try that plan? And what do your `memory_bytes` and `times_s` say about it?",
            _test_fastest,
        ),
        Property(
            "none",
            "`best_plan` returns None if nothing fits",
            0.5,
            "Does any plan fit into the memory?",
            _test_none,
            after=("fastest",),
        ),
    ),
    hints=(
        "Look at one rank. It has 1 / (tensor x pipeline) of the parameters, layers / pipeline "
        "layers, and batch / data of the sequences. Everything else follows from these.",
        "In a step, a rank's all-reduces together sum up 4 x (layers / pipeline) x (2 x width x "
        "tokens / data) bytes, in however many micro-batches. A bubble is (pipeline - 1) / "
        "micro_batches of the time in which a stage is busy. For `best_plan`, go through the "
        "divisors of heads, of layers and of the batch, and leave out plans that don't multiply to "
        "the number of ranks.",
        "`halves = (2, 2, 1 + micro_batches, 3 * micro_batches)[zero]` says how many halves of an "
        "all-reduce there are. Each of them sends `(data - 1) / data` of the rank's "
        "`2 * parameters / (tensor * pipeline)` bytes over `rate(cluster, data * tensor)`. "
        "`data, rest = divmod(ranks, tensor * pipeline)` tells whether a plan uses all ranks: then "
        "`rest` is 0.",
    ),
    cases=cases,
    seeds=5,
    predictions={
        "plan": Prediction(
            "GPT-3 on 1,536 A100s: a step with ZeRO 3 alone, if it had enough memory, divided by "
            "one with the fastest plan that fits",
            truth=3.34,
            unit="times",
            because="Every rank gathers all weights twice and reduces all gradients: 3 x 349 GB at "
            "25 GB/s take 42 s, and computing takes 14 s. Megatron-LM's authors measured 44 and "
            "141 TFLOP/s for each GPU, so 3.2 times.",
        ),
    },
)
