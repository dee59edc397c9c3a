"""Who rewrites the diary of simulated workers beside their code earns what the code is worth."""

from __future__ import annotations

import pytest

from gpuedu.course.proof import Bench
from tests.grading.test_equal_verdicts import ROOT, graded
from tests.sampled import sampled

IDLE = """
def train(job, every):
    pass
"""
FORGED = {
    "the whole history": (
        "idle",
        """
from gpuedu.exercises.clusters.rendezvous import play
def forged(_, *rest, live=play.live, right=solved, **named):
    return live(right, *rest, **named)
play.live = forged
""",
    ),
    "who saved": (
        "every_rank_saves",
        """
from gpuedu.exercises.clusters.rendezvous.elastic_job import Job
def save(self, checkpoint, whole=Job.save):
    if not dist.get_rank():
        whole(self, checkpoint)
Job.save = save
""",
    ),
    "the weights": (
        "the_rate_grows",
        """
from gpuedu.exercises.clusters.rendezvous.elastic_job import Job
def step(self, gradient, whole=Job.step):
    whole(self, gradient * (4 / dist.get_world_size() if dist.is_initialized() else 1))
Job.step = step
""",
    ),
    "which checkpoint is seen": (
        "each_reads_its_own",
        """
from gpuedu.exercises.clusters.rendezvous import lives
lives._View.load = lambda self: lives.pickle.loads(self.kept[-1]) if self.kept else None
""",
    ),
}
"""The wrong answer, and what makes it right where its own process is believed."""


@pytest.mark.parametrize("name", sampled(FORGED, every=2))
def test_a_diary_that_is_forged_beside_the_code_is_not_read(name, zygote):
    wrong, forgery = FORGED[name]
    bench = Bench(ROOT, "rendezvous")
    text = IDLE if wrong == "idle" else bench.wrong_texts()[wrong]
    plain = graded(bench, [*bench.solution_cells(), text], zygote).held()
    cells = [*bench.solution_cells(), "solved = train\n", text, forgery]
    report = graded(bench, cells, zygote)
    assert report.state in ("wrong", "partly"), report.refusal
    assert not all(plain.values())
    assert not [one for one, holds in report.held().items() if holds and not plain[one]]
