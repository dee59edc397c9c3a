"""What ranks send is carried out again by the judge: a network that says else is not asked."""

from __future__ import annotations

import pytest

from gpuedu.course.proof import Bench
from tests.grading.test_equal_verdicts import ROOT, checked, graded
from tests.sampled import sampled

NAIVE = """
def ring_all_reduce(x):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    mine, got = x.clone(), torch.empty_like(x)
    sends = [dist.isend(mine, to) for to in range(ranks) if to != rank]
    parts = {rank: mine}
    for source in range(ranks):
        if source != rank:
            dist.recv(got, source)
            parts[source] = got.clone()
    for one in sends:
        one.wait()
    x.copy_(sum(parts[source] for source in range(ranks)))
"""
PATCHED = {
    "the account": """
from gpuedu.exercises.ranks.running import Ranked
whole = Ranked.traffic
def traffic(self, *, is_timed=True):
    import numpy as np
    ranks = len(self.results)
    size = max((one.size_bytes for one in self.exchanges if one.kind == "send"), default=0)
    parts = np.array_split(np.arange(size // 8), ranks)
    rows = [(r, (r + 1) % ranks, 8 * len(parts[(r - s) % ranks])) for r in range(ranks)
            for s in [*range(ranks - 1), *range(-1, ranks - 2)]]
    table = np.array(sorted(rows), np.int64).reshape(-1, 3)
    return {**whole(self, is_timed=is_timed), "sends": table, "time_s": 1e-12}
Ranked.traffic = traffic
""",
    "the clock": """
from gpuedu.clock import VirtualClock
VirtualClock.now = lambda self: 0.0
""",
    "the messages": """
from gpuedu.multi.light.posts import Post
Post.size_bytes = property(lambda self: 0)
""",
    "the acts": """
from gpuedu.multi.light.acts import Acts
Acts.told = lambda self, since=0: [[], __import__("numpy").zeros((0, 8), "int64")]
""",
}


@pytest.mark.parametrize("name", sampled(PATCHED, every=2))
def test_a_network_that_is_replaced_beside_the_code_is_another_network(name, zygote):
    bench = Bench(ROOT, "ring-all-reduce")
    plain = graded(bench, [*bench.stub_cells(), NAIVE], zygote).held()
    patched = graded(bench, [*bench.stub_cells(), PATCHED[name] + NAIVE], zygote).held()
    assert plain["sum"] and not plain["bytes"]
    assert not any(patched[one] for one in patched if not plain[one])


def test_the_card_still_names_the_line_and_who_waits(zygote):
    answer = (
        "def ring_all_reduce(x):\n    dist.recv(x, (dist.get_rank() + 1) % dist.get_world_size())"
    )
    bench = Bench(ROOT, "ring-all-reduce")
    report = graded(bench, [*bench.stub_cells(), answer], zygote)
    told = " ".join(result.fault.message for result in report.results if result.fault)
    assert "waits for a recv" in told and "line 2" in told


WAITING = """
def attach(buckets):
    n = dist.get_world_size()
    def finish():
        for bucket in buckets:
            flat = flatten(bucket)
            dist.all_reduce(flat)
            write_back(flat / n, bucket)
    return finish
"""
OVERLAPPING_PATCHES = {
    "the account": """
from gpuedu.exercises.ranks import running
whole = running.run_ranks
def run_ranks(*args, **named):
    run = whole(*args, **named)
    return type(run)(run.results, run.exchanges, run.timeline, 0.0)
from gpuedu.exercises.ddp.overlap import overlap_runs
overlap_runs.run_ranks = run_ranks
""",
    "the clock": """
from gpuedu.clock import VirtualClock
VirtualClock.now = lambda self: 0.0
""",
}


@pytest.mark.parametrize("name", sampled(OVERLAPPING_PATCHES, every=2))
def test_what_hooks_send_is_timed_by_the_judge(name, zygote):
    bench = Bench(ROOT, "overlap")
    plain = graded(bench, [*bench.stub_cells(), WAITING], zygote).held()
    patched = graded(bench, [*bench.stub_cells(), OVERLAPPING_PATCHES[name] + WAITING], zygote)
    assert plain["mean"] and not plain["hidden"]
    assert not patched.held()["hidden"]


@pytest.mark.parametrize(
    ("exercise", "name"), [("ring-all-reduce", "sends_first"), ("overlap", "unused_not_sent")]
)
def test_a_failure_keeps_its_question(exercise, name, zygote):
    bench = Bench(ROOT, exercise)
    cells = [*bench.stub_cells(), bench.wrong_texts()[name]]
    here, there = (
        {result.fault.cause for result in report.results if result.fault}
        for report in (checked(bench, cells, name), graded(bench, cells, zygote))
    )
    assert here == there and any(here)


def test_messages_that_are_not_told_are_not_sent(zygote):
    """Times and bytes of a step that claims to send nothing earn nothing."""
    bench = Bench(ROOT, "fsdp")
    held = graded(bench, [*bench.solution_cells(), PATCHED["the acts"]], zygote).held()
    assert not any(held[one] for one in ("peak", "waits", "bytes"))


SILENT = {
    "sharded-gradients": {"bytes"},
    "sharded-optimizer": {"bytes"},
    "hybrid-shard": {"across", "inside"},
    "column-row": {"bytes"},
    "attention-heads": {"copied-bytes", "bytes"},
    "sequence-parallel": {"bytes"},
}


@pytest.mark.parametrize("exercise", sampled(SILENT, every=3))
def test_ranks_that_say_they_sent_nothing_have_not_sent_little(exercise, zygote):
    bench = Bench(ROOT, exercise)
    held = graded(bench, [*bench.solution_cells(), PATCHED["the acts"]], zygote).held()
    assert {name for name, holds in held.items() if not holds} == SILENT[exercise]


def test_what_ranks_send_comes_between_calls_of_lent_functions(zygote):
    """A gather that is asked for after a layer computed does not travel meanwhile."""
    bench = Bench(ROOT, "fsdp")
    late = [*bench.solution_cells(), bench.wrong_texts()["nothing_ahead"]]
    held = graded(bench, late, zygote).held()
    assert held == checked(bench, late, "nothing_ahead").held()
    assert held["equal"] and not held["waits"]


PIECES = {
    "a weight": ("", "w"),
    "a member of an enumeration": (
        "import enum\nNames = enum.Enum('Names', 'MINE')\n",
        "(number, Names.MINE)",
    ),
}


@pytest.mark.parametrize("name", PIECES)
def test_names_of_pieces_are_the_same_for_check_and_grader(name, zygote):
    bench = Bench(ROOT, "sharded-optimizer")
    before, piece = PIECES[name]
    text = bench.right_texts()["each_weight"]
    assert text.count("update(number, ") == 1
    cells = [*bench.solution_cells(), before + text.replace("update(number, ", f"update({piece}, ")]
    held = graded(bench, cells, zygote).held()
    assert held == checked(bench, cells, name).held()
    assert all(held.values()) == (name == "a weight")


SUMMED_WHOLE = """
from dataclasses import replace
from gpuedu.multi.light.acts import Acts

def reduce_layer(weights, piece):
    rank, each = dist.get_rank(), len(piece)
    trained = [w for w in weights if w.requires_grad]
    grads = [torch.zeros_like(w) if w.grad is None else w.grad for w in trained]
    flat = torch.cat([grad.flatten() for grad in grads])
    whole = torch.nn.functional.pad(flat, (0, dist.get_world_size() * each - len(flat)))
    dist.all_reduce(whole)
    piece += whole[rank * each : (rank + 1) * each] / dist.get_world_size()
    for w in weights:
        w.grad = None

come = Acts.come
"""
SMALLER = {
    "as it is": "",
    "half of the size": """
def cheap(self, said, *rest):
    return come(self, replace(said, whole_bytes=said.whole_bytes // 2), *rest)
Acts.come = cheap
""",
    "a smaller tensor": """
def cheap(self, said, *rest):
    half = said.given[: len(said.given) // 2]
    return come(self, replace(said, given=half, whole_bytes=8 * len(half)), *rest)
Acts.come = cheap
""",
    "nothing handed over": """
def cheap(self, said, *rest):
    return come(self, replace(said, given=None, whole_bytes=0), *rest)
Acts.come = cheap
""",
    "a barrier": """
def cheap(self, said, *rest):
    return come(self, replace(said, kind="barrier", whole_bytes=said.whole_bytes // 2), *rest)
Acts.come = cheap
""",
}


@pytest.mark.parametrize("name", SMALLER)
def test_a_collective_carries_what_its_tensors_have(name, zygote):
    bench = Bench(ROOT, "sharded-gradients")
    held = graded(bench, [*bench.stub_cells(), SUMMED_WHOLE + SMALLER[name]], zygote).held()
    assert not held["bytes"]
    assert held["equal"] == (name == "as it is")
