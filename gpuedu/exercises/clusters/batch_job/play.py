"""batch-job: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.exercises.clusters.batch_job.cluster_here import NODE, NODES
from gpuedu.exercises.clusters.batch_job.running import run_script
from gpuedu.exercises.clusters.slurm.allocation import AllocationError, allocate
from gpuedu.exercises.clusters.slurm.node_lists import compress
from gpuedu.exercises.clusters.slurm.script import ScriptError, read_script
from gpuedu.exercises.contract import Inputs, Play
from gpuedu.exercises.documents import document_play

_TEXT = document_play("script")


def play_batch_job(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The script, and what it did in a run, None where Slurm would never start it."""
    observed = _TEXT.run(answers, inputs)
    try:
        asked = read_script(observed["script"])
        given = allocate(asked.options, NODE)
    except (ScriptError, AllocationError):
        return {**observed, "run": None}
    if given.nodes > NODES or not asked.command:
        return {**observed, "run": None}
    nodes = compress("gpu", sorted(inputs["numbers"][: given.nodes]), 2)
    here = {**{name: inputs[name] for name in ("job", "ends", "status")}, "nodes": nodes}
    return {**observed, "run": run_script(observed["script"], given, asked.options, here)}


PLAY = Play(
    _TEXT.answers,
    play_batch_job,
    time_limit_s=70.0,
    launches=True,
    on_machine=True,
    compiles=True,
)
