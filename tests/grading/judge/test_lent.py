"""What a play hands to a learner's function stays where no learner's code runs."""

from __future__ import annotations

import pytest

from gpuedu.course.proof import Bench
from tests.grading.test_equal_verdicts import ROOT, checked, graded

PEEKING = {
    "the surface in what it is given": """
def search(run, batches, rates, budget):
    for cell in getattr(run, "__closure__", None) or ():
        if type(cell.cell_contents).__name__ == "Surface":
            return cell.cell_contents.best
    return batches[0], rates[0]
""",
    "a surface anywhere": """
def search(run, batches, rates, budget):
    import gc
    for one in gc.get_objects():
        if type(one).__name__ == "Surface":
            return one.best
    return batches[0], rates[0]
""",
    "what the function holds": """
def search(run, batches, rates, budget):
    names = ("_function", "__wrapped__", "__func__", "__self__", "__closure__")
    found = [name for name in names if getattr(run, name, None)]
    return (batches[0], rates[0]) if not found else 1 / 0
""",
}


@pytest.mark.parametrize("name", PEEKING)
def test_a_surface_is_not_where_the_search_runs(name, zygote):
    bench = Bench(ROOT, "time-to-accuracy")
    report = graded(bench, [*bench.stub_cells(), PEEKING[name]], zygote)
    assert report.state in ("wrong", "partly") and report.points < 3
    faults = [result.fault.message for result in report.results if result.fault]
    assert not any("ZeroDivisionError" in one or "AttributeError" in one for one in faults)


NO_WAIT = """
def median_time_s(launch, sync, warmup, repeats, now):
    times = []
    for _ in range(warmup + repeats):
        began = now()
        launch()
        times.append(now() - began)
    return sorted(times[warmup:])[repeats // 2]
"""
WAITS_BY_ITSELF = """
from gpuedu.clock import device
device.AsyncDevice.launch = lambda self: None
device.AsyncDevice.now = lambda self: 1.0
"""


def test_a_clock_that_is_replaced_beside_the_code_is_another_clock(zygote):
    bench = Bench(ROOT, "honest-timer")
    plain = graded(bench, [*bench.stub_cells(), NO_WAIT], zygote)
    replaced = graded(bench, [*bench.stub_cells(), WAITS_BY_ITSELF + NO_WAIT], zygote)
    assert not plain.held()["waits"]
    assert [one.fault for one in replaced.results] == [one.fault for one in plain.results]


TELLS_MORE = """
def largest_batch(try_step, most):
    low, high = 0, most + 1
    while high - low > 1:
        batch = min(max(1, 2 * low), (low + high) // 2)
        try:
            try_step(batch)
        except torch.OutOfMemoryError:
            high = batch
        except RuntimeError as fault:
            raise RuntimeError(f"batch {batch}: {fault}") from fault
        else:
            low = batch
    return low
"""


def test_an_error_of_the_learners_own_is_caught_as_what_it_is(zygote):
    bench = Bench(ROOT, "largest-batch")
    report = graded(bench, [*bench.solution_cells(), TELLS_MORE], zygote)
    assert report.state == "solved", report.held()


NEVER_ENDS = """
def search(run, batches, rates, budget):
    while True:
        run(batches[0], rates[0])
"""


def test_a_search_that_is_ended_returned_nothing(zygote):
    bench = Bench(ROOT, "time-to-accuracy")
    report = graded(bench, [*bench.stub_cells(), NEVER_ENDS], zygote)
    assert report.points == 0


KEPT_UNSEEN = """
own = {}

def step(weights, update):
    lent = getattr(update, "__wrapped__", update).__self__
    mine = own.setdefault(id(lent), type(lent)(lent._rule))
    own[id(lent), "kept"] = lent
    for number, w in enumerate(weights):
        if w.requires_grad:
            gradient = torch.zeros_like(w) if w.grad is None else w.grad.clone()
            dist.all_reduce(gradient)
            mine.update(number, w, gradient / dist.get_world_size())
"""


def test_an_optimizer_beside_the_lent_one_is_no_share_of_it(zygote):
    bench = Bench(ROOT, "sharded-optimizer")
    cells = [*bench.stub_cells(), KEPT_UNSEEN]
    for report in (checked(bench, cells, "kept unseen"), graded(bench, cells, zygote)):
        held = report.held()
        assert held["equal"] and held["bytes"] and not held["share"]
