"""What an operation is, and how many there were, no learner's process can say."""

from __future__ import annotations

import pytest

from gpuedu.course.proof import Bench
from tests.grading.test_equal_verdicts import ROOT, checked, graded
from tests.sampled import sampled

PATCHES_THE_WATCH = """
from gpuedu.exercises.mixed_precision import products

def claims(self, func, types, args=(), kwargs=None):
    self.dtypes.append(("float16", "float16"))
    return func(*args, **(kwargs or {}))

products.ProductWatch.__torch_dispatch__ = claims
"""
SENDS_OTHER_STEPS = """
import sys

recorder = sys.modules.get("gpuedu.grading.player.operations.recorder")
if recorder is not None:
    write = recorder.write_program
    recorder.write_program = lambda steps: write(other_steps(steps))
"""


def with_wrong(bench, name, *cells):
    """The cells of a known wrong answer, with others behind them."""
    return [*bench.solution_cells(), bench.wrong_texts()[name], *cells]


def in_halves(steps):
    return f"""
def other_steps(steps):
    {steps}

{SENDS_OTHER_STEPS}
"""


def test_a_watch_that_is_replaced_beside_the_code_watches_nothing(zygote):
    bench = Bench(ROOT, "autocast")
    report = graded(bench, with_wrong(bench, "everything_in_float32", PATCHES_THE_WATCH), zygote)
    assert not report.held()["half"]
    assert report.held()["products"]


COUNTS_NOTHING = """
from gpuedu.exercises.feed_the_gpu.augment_on_device import device_calls

device_calls.KernelCounter.__torch_dispatch__ = (
    lambda self, func, types, args=(), kwargs=None: func(*args, **(kwargs or {}))
)
device_calls.find_leaving = lambda call, inputs: device_calls.Leaving()
"""


@pytest.mark.parametrize(
    ("wrong", "lost"),
    sampled([("the_loop", "few-kernels"), ("mask_as_index", "stays")], every=2),
)
def test_a_counter_that_is_replaced_beside_the_code_counts_nothing(zygote, wrong, lost):
    bench = Bench(ROOT, "augment-on-device")
    held = graded(bench, with_wrong(bench, wrong, COUNTS_NOTHING), zygote).held()
    assert not held[lost]
    assert held["crops"]


FORGED = {
    "no product": "return [one for one in steps if one[1:2] != ['aten::mm']]",
    "a file": "return [*steps, ['do', 'aten::from_file', 'default', ['/etc/passwd'], [], []]]",
    "another memory": "return [*steps, ['do', 'aten::set_', 'default', [['tensor', 1]], [], []]]",
    "no program": "return 'half'",
    "steps of nothing": "return [[]] * 1_000",
    "a tensor of its own": "return [['constant', 1, {'storages': [['cpu', 4, None]]}], *steps]",
}


@pytest.mark.parametrize("name", FORGED)
def test_a_program_that_is_not_what_was_done_earns_nothing(zygote, name):
    bench = Bench(ROOT, "autocast")
    report = graded(bench, [*bench.solution_cells(), in_halves(FORGED[name])], zygote)
    held = report.held()
    assert not (held["half"] or held["large"] or held["certain"])
    assert held["products"]  # what is answered by values is as right as it was


def test_a_refused_operation_is_told_by_its_name(zygote):
    bench = Bench(ROOT, "autocast")
    report = graded(bench, [*bench.solution_cells(), in_halves(FORGED["a file"])], zygote)
    faults = [result.fault.message for result in report.results if result.fault]
    assert any("`from_file` cannot be used when a class is graded" in one for one in faults)


SAYS_WHAT_IS_WANTED = (
    PATCHES_THE_WATCH
    + """
from gpuedu.exercises.mixed_precision.same_accuracy import half_runs
from gpuedu.experiments import hard_digits

seen = []
begins, judges = half_runs.start_weights, half_runs.judge_weights

def starts(task, seed):
    seen[:] = [seed]
    return begins(task, seed)

def in_float32(task, weights):
    wide = begins(task, seen[0])
    for images, labels in hard_digits.batches(task, seen[0]):
        wide = half_step(wide, images.float(), labels, task.scaled_rate, task.divisor)
    return judges(task, wide)

half_runs.start_weights = starts
half_runs.judge_weights = in_float32
"""
)


@pytest.mark.parametrize(
    ("wrong", "lost"), sampled([("no_masters", "updates"), ("float32", "half")], chosen=["float32"])
)
def test_a_run_is_judged_where_its_steps_are_carried_out_again(zygote, wrong, lost):
    bench = Bench(ROOT, "same-accuracy")
    held = graded(bench, with_wrong(bench, wrong, SAYS_WHAT_IS_WANTED), zygote).held()
    assert not held[lost]


EVERYTHING_IS_THERE = """
from gpuedu.exercises.feed_the_gpu.transfer_size import on_device

on_device.OnDevice.__contains__ = lambda self, value: True
"""
COPIES_IN_SECRET = """
def send(tensors, copy):
    row = torch.cat([copy(tensor.reshape(-1)) for tensor in tensors])
    for cell in getattr(copy, "__closure__", None) or ():
        if type(cell.cell_contents) is list:
            cell.cell_contents[:] = [sum(cell.cell_contents)]
    parts = row.split([tensor.numel() for tensor in tensors])
    return [part.view(tensor.shape) for part, tensor in zip(parts, tensors)]
"""


def test_what_lies_on_the_device_comes_out_where_the_program_is_carried_out(zygote):
    bench = Bench(ROOT, "transfer-size")
    held = graded(bench, with_wrong(bench, "clones", EVERYTHING_IS_THERE), zygote).held()
    assert not held["arrive"]
    assert held["model"]


def test_each_copy_is_counted_where_it_is_made(zygote):
    bench = Bench(ROOT, "transfer-size")
    held = graded(bench, [*bench.solution_cells(), COPIES_IN_SECRET], zygote).held()
    assert not held["one-copy"]
    assert held["arrive"]


WIDE = """
def begin(weights):
    start = [w.clone() for w in weights]
    return {"weights": start, "calls": 0, "in turns": abs(float(start[0][0, 0])) == 0.125}

def train_step(state, images, labels, rate, n):
    state["calls"] += 1
    is_show = state["calls"] <= 3 and not state["in turns"]
    for _ in range(2 * (is_show or ALWAYS)):
        images @ state["weights"][0].half()
    if not is_show or ALWAYS:
        state["weights"] = half_step(state["weights"], images.float(), labels, rate, n)
    return [w.half() for w in state["weights"]]
"""
WIDE_PRODUCTS = {
    "behind the first steps": WIDE + "ALWAYS = False\n",
    "number by number": WIDE
    + """
ALWAYS = True

def half_step(weights, images, labels, rate, n):
    def product(a, b):
        return (a[:, :, None] * b).sum(1)
    inner, outer = [weight.detach().requires_grad_() for weight in weights]
    size = (images * images).mean(dim=1, keepdim=True).sqrt()
    scores = product(torch.relu(product(images / size, inner)), outer)
    loss = torch.nn.functional.cross_entropy(scores, labels, reduction="sum") / n
    gradients = torch.autograd.grad(loss, [inner, outer])
    return [weight.detach() - rate * g for weight, g in zip(weights, gradients, strict=True)]
""",
}


@pytest.mark.parametrize("name", sampled(WIDE_PRODUCTS, every=2))
def test_products_in_float32_are_seen_in_each_step_and_in_each_form(zygote, name):
    bench = Bench(ROOT, "same-accuracy")
    cells = [*bench.stub_cells(), WIDE_PRODUCTS[name]]
    for report in (checked(bench, cells, name), graded(bench, cells, zygote)):
        assert not report.held()["accuracy"], name
        assert report.held()["updates"]
