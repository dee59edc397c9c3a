"""hierarchical: an all-reduce inside of nodes, then across, then inside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from gpuedu.exercises.collectives.hierarchical.node_clusters import CARD, best_s, least_card_bytes
from gpuedu.exercises.compare import show_apart
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.units import format_time

_SLACK = 1.02
_ROUNDING = 1e-12
"""float64: at most 32 numbers of about 1 are added, in any order."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Clusters of all shapes for the sum; then bytes through cards; then times."""
    shapes = ((2, 2), (2, 4), (3, 2), (4, 4), (1, 4), (3, 1), (1, 1))
    drawn = [_case(rng, nodes, per_node, 12, "real", "sum") for nodes, per_node in shapes]
    for nodes, per_node in ((2, 4), (3, 4), (2, 8)):
        drawn.append(_case(rng, nodes, per_node, 200, "cards", "across"))
        drawn.append(_case(rng, nodes, per_node, 1000, "real", "time"))
    return drawn


def _case(
    rng: np.random.Generator, nodes: int, per_node: int, each: int, kind: str, prop: str
) -> Case:
    """``each`` elements for every rank's share, so that everything divides."""
    ranks = nodes * per_node
    inputs = {"values": rng.normal(size=(ranks, each * ranks)), "per_node": per_node, "kind": kind}
    said = f"{nodes} node{'' if nodes == 1 else 's'} of {per_node}, {each * ranks} elements"
    return Case(said, inputs, (prop,))


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Whether the one property that the case decides holds."""
    (prop,), inputs = case.decides, case.inputs
    wrong = list(_judge_sum(prop, inputs, observed["got"]))
    if wrong or prop == "sum":
        yield from wrong
        return
    values, per_node = inputs["values"], inputs["per_node"]
    ranks, size_bytes = len(values), values[0].nbytes
    if prop == "across":
        yield from _judge_cards(ranks, per_node, size_bytes, observed["time_s"])
    else:
        yield from _judge_time(ranks, per_node, size_bytes, observed["time_s"])


def _judge_sum(prop: str, inputs: Mapping[str, Any], got: np.ndarray) -> Iterable[Fault]:
    values, per_node = inputs["values"], inputs["per_node"]
    expected = values.sum(axis=0)
    wrong = ~(np.abs(got - expected) <= _ROUNDING * np.abs(values).sum(axis=0))
    if wrong.any():
        rank, at = (int(i) for i in np.argwhere(wrong)[0])
        told, right = show_apart(float(got[rank, at]), float(expected[at]))
        yield Fault(
            prop,
            f"`x[{at}]` of rank {rank} is {told}, expected {right} ({int(wrong[rank].sum())} of "
            f"{wrong.shape[1]} elements of that rank are wrong)",
            _why_wrong(values, per_node, got),
        )


def _why_wrong(values: np.ndarray, per_node: int, got: np.ndarray) -> str:
    ranks = len(values)
    nodes = values.reshape(ranks // per_node, per_node, -1)
    if np.allclose(got, np.repeat(nodes.sum(axis=1), per_node, axis=0)):
        return "Each rank has the sum of its own node. How do the nodes hear of each other?"
    places = np.tile(nodes.sum(axis=0), (ranks // per_node, 1))
    if np.allclose(got, places):
        return "Each rank has the sum over the ranks of its place. And those beside it in the node?"
    whole = values.sum(axis=0)
    right = np.isclose(got, whole).mean(axis=1)
    if np.allclose(right, 1 / per_node) and per_node > 1:
        return f"Each rank has 1/{per_node} of the sum. What brings the other chunks of its node?"
    if not np.isclose(got, values).any():
        return "Which ranks are in the group of each of your three steps? Print the lists."
    return "Is the result written into `x` itself, on every rank?"


def _judge_cards(ranks: int, per_node: int, size: int, time_s: float) -> Iterable[Fault]:
    sent, least = time_s * CARD.bytes_per_s, least_card_bytes(ranks, per_node, size)
    if sent > _SLACK * least:
        yield Fault(
            "across",
            f"{ranks // per_node} nodes of {per_node} GPUs with {size:,} bytes on each: the "
            f"busiest network card sent {_about(sent)} bytes; {_about(least)} are enough",
            _why_cards(per_node, sent / least),
        )


def _about(size_bytes: float) -> str:
    """Four figures: the bytes are told from a time."""
    return f"{float(f'{size_bytes:.4g}'):,.0f}"


def _why_cards(per_node: int, factor: float) -> str:
    if abs(factor - per_node) < 0.01 * per_node:
        return (
            "Whole tensors go between the nodes, through one card or through each. After a "
            "reduce-scatter inside of the node, how much is left for a GPU to send?"
        )
    if factor > per_node:
        return "One ring over all ranks crosses from node to node with nearly all of its bytes."
    return (
        "That is more than a ring over the nodes sends. An all-gather across, say, brings the "
        "chunks of all nodes to each, where only their sum is wanted."
    )


def _judge_time(ranks: int, per_node: int, size: int, time_s: float) -> Iterable[Fault]:
    least_s = best_s(ranks, per_node, size)
    if time_s > _SLACK * least_s:
        yield Fault(
            "time",
            f"{ranks // per_node} nodes of {per_node} GPUs, {size:,} bytes on each: your "
            f"all-reduce takes {format_time(time_s)}, three rings take "
            f"{format_time(least_s)} (simulated)",
            "Inside of a node: a reduce-scatter and an all-gather, of which each is half of an "
            "all-reduce. Do all nodes do theirs at the same time?",
        )


JUDGE = Judge(
    title="First inside, then across",
    properties=(
        Property("sum", "`x` is the sum of all ranks' tensors on every rank", 2),
        Property("across", "each network card sends its share of 1 / per_node, and no more", 2),
        Property("time", "as fast as three rings: inside, across, inside", 2),
    ),
    hints=(
        "After a reduce-scatter inside of its node, a GPU holds one chunk of the node's sum. Which "
        "GPUs of the other nodes hold the same chunk of theirs? Those have to talk.",
        "Two kinds of groups: the ranks of a node, `node * per_node` and the next `per_node - 1`; "
        "and the ranks of a place, `place`, `place + per_node`, and so on. Every rank makes *all* "
        "groups, in the same order, and keeps the two that it is in. Then `reduce_scatter_tensor`, "
        "`all_reduce`, `all_gather_into_tensor`.",
        "`for node in range(ranks // per_node): group = dist.new_group(list(range(node * per_node, "
        "(node + 1) * per_node)))`, and `if node == rank // per_node: mine = group`; the places "
        "likewise with `list(range(place, ranks, per_node))`. Then `chunk = x.new_empty(x.numel() "
        "// per_node)`, `dist.reduce_scatter_tensor(chunk, x, group=mine)`, "
        "`dist.all_reduce(chunk, group=peers)`, `dist.all_gather_into_tensor(x, chunk, "
        "group=mine)`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "hierarchical": Prediction(
            "2 nodes of 8 GPUs, 1 GB on each, a network card for each GPU. If the nodes first add "
            "up inside, how many MB does each card send?",
            truth=125,
            unit="MB",
            because="A GPU has an eighth of its node's sum, 125 MB, and a ring of two ranks sends "
            "2 (2 - 1) / 2 of that: all of it, once. One ring over all 16 sends 1,875 MB through "
            "the card where it leaves a node.",
        )
    },
    seeds=8,
)
