"""Real steps on the CPU: what is recorded agrees with PyTorch's own reading; faults end cleanly."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import pytest
import torch
from torch.nn.functional import cross_entropy

from gpuedu.profiles import ProfileError, load_profile, profile
from gpuedu.profiles.reading import read_profile
from gpuedu.profiles.session import _trace_of
from gpuedu.training import MLP


@pytest.fixture
def step():
    torch.manual_seed(0)
    model = MLP(16, 3, hidden=(8,))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.rand(6, 16), torch.tensor([0, 1, 2, 0, 1, 2])

    def train():
        optimizer.zero_grad()
        loss = cross_entropy(model(inputs), targets)
        loss.backward()
        optimizer.step()
        return loss.item()

    return train


def test_each_step_is_recorded_and_the_warm_up_is_not(step):
    calls = []
    found = profile(lambda: (calls.append(1), step()), steps=4, warmup=2)
    assert len(calls) == 6
    assert [one.number for one in found.steps] == [1, 2, 3, 4]
    assert [one.name for one in found.operators].count("aten::addmm") == 2 * 4
    assert (found.device, found.lanes) == ("cpu", ("host",))
    assert found.kernels == found.copies == ()


def test_steps_lie_behind_each_other_and_hold_the_operators(step):
    found = profile(step, steps=3)
    assert found.steps[0].start_s == 0
    ends = [(one.start_s, one.end_s) for one in found.steps]
    assert ends == sorted(ends)
    assert all(first[1] <= second[0] for first, second in pairwise(ends))
    for one in found.operators:
        assert any(start <= one.start_s and one.end_s <= end + 1e-9 for start, end in ends)
    assert 0 < found.busy_s("host") < found.end_s


def test_it_reads_what_pytorch_reads(step):
    """The same recording, read by us and by PyTorch: names, starts, times, own times, depths."""
    step()
    profiler = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU])
    with profiler:
        step()
    ours = read_profile(_trace_of(profiler), name="trace")
    theirs = [one for one in profiler.events() if not one.name.startswith("Optimizer.")]
    theirs.sort(key=lambda one: (one.time_range.start, -one.time_range.end))
    origin = theirs[0].time_range.start

    def depth(event):
        parent = event.cpu_parent
        own = parent is not None and not parent.name.startswith("Optimizer.")
        return (own + depth(parent)) if parent is not None else 0

    assert len(theirs) > 50
    assert [one.name for one in ours.operators] == [one.name for one in theirs]
    assert [one.depth for one in ours.operators] == [depth(one) for one in theirs]
    for mine, other in zip(ours.operators, theirs, strict=True):
        assert mine.start_s == pytest.approx((other.time_range.start - origin) / 1e6, abs=2e-9)
        assert mine.time_s == pytest.approx(other.time_range.elapsed_us() / 1e6, abs=2e-9)
        # What ends within the clock's last nanosecond of its parent may be read either way.
        assert mine.self_s == pytest.approx(other.self_cpu_time_total / 1e6, abs=2e-8)


def test_the_exported_file_reads_the_same(step, tmp_path):
    found = profile(step)
    assert load_profile(found.export(tmp_path / "step.json")) == found
    assert load_profile(found.export(tmp_path / "step.json.gz")) == found


def test_allocations_are_in_the_trace_if_asked_for(step, tmp_path):
    asked = profile(step, steps=1, memory=True).export(tmp_path / "with.json").read_text()
    plain = profile(step, steps=1).export(tmp_path / "without.json").read_text()
    assert "[memory]" in asked
    assert "[memory]" not in plain


def test_ranges_of_the_program_are_told(step):
    def named():
        with torch.profiler.record_function("forward"):
            step()

    found = profile(named, steps=2)
    names = [one.name for one in found.ranges]
    assert names.count("forward") == 2
    assert names.count("Optimizer.step#SGD.step") == 2


def test_a_step_that_computes_nothing_is_all_python():
    found = profile(lambda: sum(range(100)))
    assert found.operators == ()
    assert found.idle_share("host") == 1.0
    assert found.costs() == ()


@pytest.mark.parametrize("fault", [ZeroDivisionError("mine"), KeyboardInterrupt()])
@pytest.mark.parametrize("call", [1, 3])
def test_a_step_that_stops_halfway_leaves_the_profiler_usable(step, fault, call):
    calls = []

    def failing():
        calls.append(1)
        torch.ones(2).sum()
        if len(calls) == call:
            raise fault

    with pytest.raises(type(fault)) as raised:
        profile(failing)
    assert raised.value is fault
    assert not torch.autograd._profiler_enabled()
    assert profile(step, steps=1).kernels_per_step > 10


def test_a_profile_within_a_profile_is_refused_and_the_outer_one_ends(step):
    with pytest.raises(ProfileError, match="another profiler is running"):
        profile(lambda: profile(step))
    assert profile(step, steps=1).operators


def test_a_profiler_that_was_left_running_is_said(step):
    left = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU])
    left.start()
    try:
        with pytest.raises(ProfileError, match="stop"):
            profile(step)
    finally:
        left.stop()


@pytest.mark.parametrize("counts", [{"steps": 0}, {"steps": -1}, {"warmup": -1}])
def test_no_steps_are_refused(step, counts):
    with pytest.raises(ProfileError, match="no steps to look at"):
        profile(step, **counts)


def test_a_step_that_is_no_function_is_refused(step):
    with pytest.raises(ProfileError, match=r"this is float.*without brackets"):
        profile(step())


def test_the_package_brings_torch_only_when_a_step_is_profiled():
    code = "import sys, gpuedu.profiles; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_nothing_is_written_into_the_notebook():
    code = (
        "import torch; from gpuedu.profiles import profile; "
        "profile(lambda: torch.ones(2)); profile(lambda: torch.ones(2)); "
        "import os; assert 'KINETO_LOG_LEVEL' not in os.environ"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
