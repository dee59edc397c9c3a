"""A script runs as Python would run it, is ended cleanly, and what is wrong with it is told."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys

import pytest
import torch
from torch.overrides import _get_current_function_mode_stack
from torch.utils.data import dataloader as torch_loader

from gpuedu.profiling.running import ScriptError, watch_script
from tests.profiling.scripts import CLEAN, planted, write

TINY = """\
import torch

model = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
"""
STEP = "model(torch.ones(2, 4)).sum().backward(); optimizer.step(); optimizer.zero_grad()\n"


def tiny(steps, before="", after=""):
    return f"{TINY}{before}for step in range({steps}):\n    {STEP}{after}"


def phases(watched):
    return [one.phase for one in watched.steps]


def test_a_script_is_ended_after_its_steps(watch, capsys):
    watched = watch(tiny(1000, after="print('never')\n"), steps=5, warmup=2)
    assert phases(watched) == ["warm-up"] * 2 + ["counted"] * 3 + ["timed"] * 2
    assert "never" not in capsys.readouterr().out
    assert watched.end == "ended after 7 steps, as asked"


def test_whole_runs_to_the_end(watch, capsys):
    watched = watch(tiny(30, after="print('the end')\n"), steps=4, warmup=1, whole=True)
    assert len(watched.steps) == 30 and watched.counted == 2
    assert "the end" in capsys.readouterr().out


def test_a_script_that_ends_earlier_is_told(watch):
    watched = watch(tiny(4), steps=20, warmup=1)
    assert phases(watched) == ["warm-up"] + ["counted"] * 3
    assert watched.end == "ran to its end after 4 steps"


def test_an_except_of_the_scripts_does_not_swallow_the_end(watch):
    text = f"{TINY}for step in range(100):\n    try:\n        {STEP}    except Exception:\n        pass\n"
    assert len(watch(text, steps=4, warmup=1).steps) == 5


def test_a_script_that_swallows_everything_runs_on_and_that_is_told(watch):
    text = f"{TINY}for step in range(9):\n    try:\n        {STEP}    except:\n        pass\n"
    watched = watch(text, steps=4, warmup=1)
    assert watched.end == "ran to its end after 9 steps" and watched.counted == 2


def test_cleaning_up_is_still_done(watch, capsys):
    text = (
        f"{TINY}try:\n    for step in range(100):\n        {STEP}finally:\n    print('cleaned')\n"
    )
    watch(text, steps=4, warmup=1)
    assert "cleaned" in capsys.readouterr().out


def test_argv_name_and_path_are_those_of_python(watch, tmp_path):
    write(tmp_path, "WIDTH = 4\n", "beside.py")
    before = sys.argv, list(sys.path)
    text = (
        "import sys, beside\nassert sys.argv[1:] == ['--lr', '3'], sys.argv\n"
        "assert __name__ == '__main__' and sys.argv[0] == __file__\n" + tiny(3)
    )
    assert len(watch(text, "--lr", "3", steps=2, warmup=1).steps) == 3
    assert (sys.argv, sys.path) == before


def test_nothing_stays_behind(watch):
    begin, compile_ = torch_loader._BaseDataLoaderIter.__next__, torch.compile
    made = torch.optim.Optimizer.__init__
    watch(planted("pin_memory=True", "num_workers=1, persistent_workers=True"), steps=4, warmup=1)
    assert torch_loader._BaseDataLoaderIter.__next__ is begin and torch.compile is compile_
    assert torch.optim.Optimizer.__init__ is made
    assert not sys.modules["torch.optim.optimizer"]._global_optimizer_post_hooks
    assert not torch.nn.modules.module._global_forward_hooks
    assert not _get_current_function_mode_stack()
    assert not multiprocessing.active_children()


def test_workers_of_a_loader_are_not_watched(watch):
    line = "        assert not torch.overrides._get_current_function_mode_stack()\n"
    text = planted("        return self.x[at]", line + "        return self.x[at]")
    text = text.replace("pin_memory=True", "num_workers=1")
    assert len(watch(text, steps=3, warmup=1).steps) == 4


def test_batches_that_are_accumulated_are_one_step(watch):
    text = CLEAN.replace(
        "        optimizer.zero_grad()\n        loss.backward()\n        optimizer.step()\n",
        "        loss.backward()\n        if step % 4 == 3:\n            optimizer.step()\n"
        "            optimizer.zero_grad()\n",
    )
    watched = watch(text, steps=4, warmup=1)
    assert [one.batches for one in watched.steps] == [4] * 5


def test_of_two_optimizers_the_first_leads(watch):
    text = (
        f"{TINY}other = torch.optim.SGD(model.parameters(), 0.1)\n"
        f"for step in range(6):\n    {STEP}    model(torch.ones(2, 4)).sum().backward()\n"
        "    other.step(); other.step()\n"
    )
    watched = watch(text, steps=20, warmup=1)
    assert len(watched.steps) == 6
    assert [one.tensors for one in watched.optimizers] == [2, 2]


def test_an_optimizer_that_is_left_loses_the_lead(watch):
    text = tiny(3) + tiny(40).replace("import torch\n", "")
    assert len(watch(text, steps=100, warmup=1).steps) == 3 + 40 - 10


def test_without_an_optimizer_batches_are_steps(watch):
    text = (
        "import torch\nfrom torch.utils.data import DataLoader, TensorDataset\n"
        "weight = torch.ones(4, requires_grad=True)\n"
        "for (x,) in DataLoader(TensorDataset(torch.ones(40, 4)), batch_size=4):\n"
        "    (x * weight).sum().backward()\n    weight.data -= 0.1 * weight.grad\n"
        "    weight.grad = None\n"
    )
    watched = watch(text, steps=4, warmup=1)
    assert phases(watched) == ["warm-up", "counted", "counted", "timed", "timed"]


def refused(watch, text, **options):
    with pytest.raises(ScriptError) as caught:
        watch(text, **options)
    return caught.value


def test_a_failing_script_shows_its_own_traceback(watch, capsys):
    text = tiny(5, after="def fail():\n    raise ValueError('mine')\nfail()\n")
    error = refused(watch, text, steps=100, warmup=1)
    shown = capsys.readouterr().err
    assert "ValueError: mine" in shown and "in fail" in shown
    assert "runpy" not in shown and "gpuedu" not in shown.replace("gpuedu_", "")
    assert "failed after 5 steps" in error.message
    assert error.watched.counted == 4


def test_a_fault_inside_of_a_call_of_pytorch_has_no_frames_of_ours(watch, capsys):
    refused(watch, f"{TINY}model(torch.ones(2, 3))\n")
    shown = capsys.readouterr().err
    assert "profiling" not in shown and "shapes cannot be multiplied" in shown


@pytest.mark.parametrize(
    ("after", "said"),
    [("raise SystemExit(3)\n", "called sys.exit(3) after 2 steps")],
)
def test_a_script_that_ends_itself_with_a_status(after, said, watch):
    assert said in refused(watch, tiny(2, after=after), warmup=1).message


def test_a_script_that_ends_itself_well_is_fine(watch):
    watched = watch(tiny(2, after="import sys; sys.exit()\n"), warmup=1)
    assert watched.end == "called sys.exit(None) after 2 steps"


def test_a_script_that_ends_itself_before_its_first_step(watch):
    error = refused(watch, "import sys\nprint('usage: ...')\nsys.exit(0)\n")
    assert "after 0 steps" in error.message and "--" in error.remedy


def test_a_script_that_takes_no_step(watch):
    error = refused(watch, TINY)
    assert "no optimizer of PyTorch's stepped" in error.message and error.remedy


def test_a_script_that_trains_in_other_processes(watch):
    text = (
        "import multiprocessing\n"
        "if __name__ == '__main__':\n"
        "    process = multiprocessing.get_context('fork').Process(target=print)\n"
        "    process.start()\n    process.join()\n"
    )
    error = refused(watch, text)
    assert "its own processes" in error.message and "torchrun" in error.remedy


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("missing.py", None, "there is no script"),
        ("broken.py", "x = (\n", "broken.py:1 is not valid in"),
        ("null.py", "\0", "null.py"),
        (".", None, "is a folder"),
    ],
)
def test_what_is_no_script(name, text, said, tmp_path):
    path = tmp_path / name
    if text is not None:
        path.write_text(text)
    with pytest.raises(ScriptError, match=said) as caught:
        watch_script(path)
    assert caught.value.watched is None and caught.value.remedy


@pytest.mark.parametrize("options", [{"steps": 0}, {"warmup": -1}])
def test_no_steps(options, tmp_path):
    with pytest.raises(ScriptError, match="no steps to watch"):
        watch_script(write(tmp_path, TINY), **options)


def test_a_rank_beside_the_watched_one_only_counts(watch, monkeypatch):
    monkeypatch.setenv("RANK", "1")
    watched = watch(tiny(100), steps=4, warmup=1)
    assert watched.is_unwatched and len(watched.steps) == 5 and not watched.operators


def run(tmp_path, *command, text=None):
    path = write(tmp_path, text or tiny(50, before="print('hello')\n"))
    return subprocess.run(
        [sys.executable, "-m", "gpuedu", "profile", str(path), *command],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command(tmp_path):
    done = run(tmp_path, "--steps", "4", "--warmup", "1", "--html", str(tmp_path / "a.html"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("hello\n") and "No finding." in done.stdout
    assert (tmp_path / "a.html").read_text().startswith("<!doctype html>")
    assert (tmp_path / "train.py").read_text() == tiny(50, before="print('hello')\n")


def test_the_command_tells_what_was_seen_before_a_failure(tmp_path):
    text = tiny(8, after="raise ValueError('mine')\n")
    done = run(tmp_path, "--warmup", "1", text=text)
    assert done.returncode == 1
    assert "failed after 8 steps" in done.stdout and "ValueError: mine" in done.stderr
    assert "gpuedu: train.py failed after 8 steps" in done.stderr
