"""watch-it: metrics that a training exports, and alerts that fire when they should."""

from __future__ import annotations

import numpy as np

from gpuedu.exercises.contract import Case, Judge, Prediction, Property
from gpuedu.exercises.documents import document_rule
from gpuedu.exercises.long_runs.watch_it.judge.exported import (
    records_of,
    test_labels,
    test_types,
    test_values,
)
from gpuedu.exercises.long_runs.watch_it.judge.firing import firing_rule, silent, unreadable
from gpuedu.exercises.long_runs.watch_it.judge.scenarios import scenarios

_ALERTS = ("slow-node", "not-finite", "no-progress", "gpu-hot", "gpu-broken")
_EXPORTED = ("types", "values", "labels")


def cases(rng: np.random.Generator) -> list[Case]:
    """Records of one process, the rules as they stand, and runs on which they are tried."""
    found = []
    for count, node in ((1, "n3"), (7, "n1"), (60, f"n{rng.integers(10, 90)}")):
        records = records_of(rng, count, node)
        steps = "one step" if count == 1 else f"{count} steps"
        found.append(Case(f"{steps} of {node}", {"records": records}, _EXPORTED))
    bad = records_of(rng, 4, "n2")
    bad[-1]["loss"] = float("nan")
    found.append(Case("a loss that is NaN", {"records": bad}, ("values",)))
    found.append(Case("the rules", {}, ("accepted", "says")))
    found += [Case(one.label, {}, _ALERTS, one) for one in scenarios(rng)]
    return found


JUDGE = Judge(
    title="Who calls you at night",
    properties=(
        Property(
            "types",
            "five metrics, each of the right type",
            1,
            "Does that value only grow, or go up and down? Or is it about how values are "
            "distributed?",
            test_types,
        ),
        Property(
            "values",
            "their values, in seconds and bytes",
            0.5,
            "What should the value be after these records, and in which unit?",
            test_values,
            waits_for=("types",),
        ),
        Property(
            "labels",
            "one label, so that there are few series",
            0.5,
            "How many values will each label have taken at the end of the run?",
            test_labels,
            waits_for=("types",),
        ),
        document_rule(
            "accepted",
            "both rule files are read, and have their alerts",
            0.5,
            unreadable,
            asks="Which alerts does the text ask for?",
        ),
        firing_rule(
            "SlowNode",
            "`SlowNode` fires for a node that is slow, and for nothing else",
            1.5,
            "Whose times does each side of the comparison have, and over how long?",
        ),
        firing_rule(
            "LossNotFinite",
            "`LossNotFinite` fires on NaN and on infinity, if that lasts",
            1,
            "What does your expression give for NaN, for infinity, and for 2.5?",
        ),
        firing_rule(
            "NoProgress",
            "`NoProgress` fires if there have been no steps, or no processes, for too long",
            1.5,
            "What do the series look like at that time, and for how long have they?",
        ),
        firing_rule(
            "GpuHot",
            "`GpuHot` fires for a GPU that stays hot",
            0.5,
            "How hot was that GPU, and for how long?",
        ),
        firing_rule(
            "GpuBroken",
            "`GpuBroken` fires on errors of the device, not on those of the program",
            0.5,
            "Which Xid errors are in the text's list?",
        ),
        document_rule(
            "says",
            "each alert says how severe it is, and what it is about",
            0.5,
            silent,
            asks="Is `severity` page or ticket, and is there a `summary`?",
            waits_for=("accepted",),
        ),
    ),
    hints=(
        "A comparison keeps the series for which it holds, and an alert is active for each that is "
        "left. A counter is only useful inside `rate` or `increase`, which see a reset. `for` is "
        "how long you wait until you are sure: longer than all that is harmless.",
        "The mean time of a step is the rate of `..._sum` over the rate of `..._count`. To compare "
        "each node with the mean of all, write `> on() group_left() 1.2 * avg(...)`. NaN isn't "
        "equal to itself. A series that's gone isn't 0: what does `absent(...)` give?",
        "`train_loss - train_loss != 0` holds for NaN and for infinity. `sum(increase("
        "train_steps_total[5m])) == 0 or absent(train_steps_total)` holds without steps, and "
        "without processes. Wait 5 minutes for these, and for `SlowNode` and `GpuHot`; a broken "
        "GPU needs no wait: `DCGM_FI_DEV_XID_ERRORS == 48 or ...`.",
    ),
    cases=cases,
    predictions={
        "watch-it": Prediction(
            "A counter is scraped as 1,100, 1,200, 20 and 50. By how much did what it counts grow?",
            150,
            because="By 100, from 1,100 to 1,200. Then the process started again from 0: by 20 "
            "more, and by 30.",
            exact=True,
        )
    },
    seeds=6,
)
