"""hierarchical: an all-reduce inside of nodes, then across, then inside."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.collectives.hierarchical.judge.at_best import best_s, least_card_bytes
from gpuedu.exercises.collectives.hierarchical.node_clusters import CARD
from gpuedu.exercises.contract import Case, Fault, Inputs, Judge, Plain, Prediction, Property
from gpuedu.exercises.ranks.properties import Held, right_on_ranks, soon_done, undecided_if_wrong

_SLACK = 1.02
_ROUNDING = {"float64": 1e-12, "float32": 1e-5}
"""At most 32 numbers of about 1 are added, in any order."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Clusters of all shapes for the sum; then bytes through cards; then times."""
    shapes = ((2, 2), (2, 4), (3, 2), (4, 4), (1, 4), (3, 1), (1, 1))
    drawn = [_case(rng, nodes, per_node, 12, "real", "sum") for nodes, per_node in shapes]
    drawn.append(_case(rng, 2, 3, 12, "real", "sum", "float32"))
    for nodes, per_node, dtype in ((2, 4, "float64"), (3, 4, "float32"), (2, 8, "float64")):
        drawn.append(_case(rng, nodes, per_node, 200, "cards", "across", dtype))
        drawn.append(_case(rng, nodes, per_node, 1000, "real", "time"))
    return drawn


def _case(
    rng: np.random.Generator,
    nodes: int,
    per_node: int,
    each: int,
    kind: str,
    prop: str,
    dtype: str = "float64",
) -> Case:
    """``each`` elements for every rank's share, so that everything divides."""
    ranks = nodes * per_node
    inputs = {"values": rng.normal(size=(ranks, each * ranks)), "per_node": per_node}
    inputs |= {"kind": kind, "timed": prop != "sum", "dtype": dtype}
    said = f"{nodes} node{'' if nodes == 1 else 's'} of {per_node}, {each * ranks} elements"
    said += f" of {dtype}" if dtype != "float64" else ""
    return Case(said, inputs, (prop,))


def _sums(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    values = inputs["values"]
    room = _ROUNDING[inputs["dtype"]] * np.abs(values).sum(axis=0)
    where = f"with {_nodes(inputs)}, on rank"
    for rank, got in enumerate(observed["got"]):
        yield Held(f"{where} {rank}", "x", got, values.sum(axis=0), room)


def _nodes(inputs: Inputs) -> str:
    nodes = len(inputs["values"]) // inputs["per_node"]
    return f"{nodes} node{'s' * (nodes > 1)} of {inputs['per_node']}"


def _test_cards(case: Case, observed: Plain) -> Iterable[Fault]:
    values, size = case.inputs["values"], _size_bytes(case.inputs)
    sent = observed["time_s"] * CARD.bytes_per_s
    least = least_card_bytes(len(values), case.inputs["per_node"], size)
    if sent > _SLACK * least:
        yield Fault(
            "across",
            f"with {_nodes(case.inputs)} and {size:,} bytes on each GPU, the busiest network card "
            f"sent {_about(sent)} bytes; {_about(least)} are enough",
        )


def _size_bytes(inputs: Inputs) -> int:
    return inputs["values"].shape[1] * np.dtype(inputs["dtype"]).itemsize


def _about(size_bytes: float) -> str:
    """Four figures: the bytes are told from a time."""
    return f"{float(f'{size_bytes:.4g}'):,.0f}"


def _three_rings(inputs: Inputs) -> tuple[float, str]:
    values, per_node = inputs["values"], inputs["per_node"]
    told = f"three rings: inside, across, inside, with {_nodes(inputs)}"
    return best_s(len(values), per_node, _size_bytes(inputs)), told


JUDGE = Judge(
    title="First inside, then across",
    properties=(
        right_on_ranks(
            "sum",
            "`x` is the sum of all ranks' tensors on every rank",
            2,
            _sums,
            asks="Which ranks are in each of your groups, and what do they hold after each step?",
        ),
        Property(
            "across",
            "each network card sends its share of 1 / per_node, and no more",
            2,
            "What does each GPU hold when its node has added up, and how much of that do the other "
            "nodes need from it?",
            undecided_if_wrong("across", _sums, _test_cards),
        ),
        soon_done(
            "time",
            "as fast as three rings: inside, across, inside",
            2,
            _three_rings,
            within=_SLACK,
            asks="How many bytes does each of your steps carry, and which ranks wait meanwhile?",
            wrap=lambda test: undecided_if_wrong("time", _sums, test),
        ),
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
    varies=("calls",),
    predictions={
        "hierarchical": Prediction(
            "2 nodes of 8 GPUs, 1 GB on each, a network card for each GPU. If each node first "
            "adds up its own tensors, how many MB does each card send?",
            truth=125,
            unit="MB",
            because="A GPU has an eighth of its node's sum, 125 MB, and a ring of two ranks sends "
            "2 (2 - 1) / 2 of that: all of it, once. One ring over all 16 sends 1,875 MB through "
            "the card where it leaves a node.",
        )
    },
    seeds=8,
)
