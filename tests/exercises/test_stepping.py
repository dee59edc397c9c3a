"""``step``: a kernel with its launch, or a trace; a card for whatever cannot be stepped through."""

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

from gpuedu import cuda, simulate, step
from gpuedu.exercises import stepping


@cuda.jit
def double(a):
    i = cuda.grid(1)
    a[i] *= 2


@cuda.jit
def stub(a):
    # YOUR CODE HERE (about 2 lines)
    ...


def test_a_kernel_and_its_launch(capsys):
    a = np.ones(64, np.float32)
    step(double, 2, 32, a)
    assert capsys.readouterr().out.startswith("step 1 of 2: warp 0 at line")
    assert (a == 2).all()


def test_a_trace(capsys):
    trace = simulate(double, 2, 32, np.ones(64, np.float32))
    step(trace)
    assert "step 1 of 2: warp 0" in capsys.readouterr().out


def test_it_opens_at_the_hazard_of_whichever_block(capsys):
    for blocks in (3, 100):
        step(double, blocks, 32, np.ones(32 * blocks - 1, np.float32))
        said = capsys.readouterr().out
        assert "hazard" in said and "a[i] *= 2" in said


def test_a_hazard_in_a_block_that_is_not_shown_is_told(capsys):
    step(double, 3, 32, np.ones(95, np.float32), block=0)
    said = capsys.readouterr().out
    assert "A hazard that is not in these steps" in said and "reads `a[95]`" in said
    assert "`block=2` shows that block" in said and "step 1 of 2" in said
    step(double, 3, 32, np.ones(95, np.float32), block=2)
    assert "not in these steps" not in capsys.readouterr().out


def test_so_is_one_in_a_block_of_which_no_step_was_kept(capsys):
    def outside(a):
        if cuda.blockIdx.x == 4 and cuda.blockIdx.y == 4:
            a[32] = 0

    step(outside, (9, 8), 32, np.ones(32, np.float32))
    assert "`block=40` shows that block" in capsys.readouterr().out
    step(simulate(outside, (9, 8), 32, np.ones(32, np.float32)))
    assert "`simulate` again with `watch=[40]`" in capsys.readouterr().out
    for block in (40, (4, 4)):
        step(outside, (9, 8), 32, np.ones(32, np.float32), block=block)
        said = capsys.readouterr().out
        assert "not in these steps" not in said and "hazard" in said


def test_the_options_of_a_launch_go_along(capsys):
    seen = []
    step(double, 2, 32, np.ones(64, np.float32), order="reversed")
    seen.append(capsys.readouterr().out)
    assert "step 1 of 2" in seen[0]


@pytest.mark.parametrize(
    ("arguments", "options", "told"),
    [
        ((stub, 1, 32, np.zeros(32)), {}, "Nothing to step through yet"),
        ((double,), {}, "how many blocks"),
        ((double, 4), {}, "how many blocks"),
        ((3, 1, 32), {}, "takes a kernel and its launch"),
        ((double, 2, 32, np.ones(64)), {"block": 2}, "no block 2 in a launch of 2"),
        ((double, (2, 1), 32, np.ones(64)), {"block": (1, 1)}, "no block (1, 1) in a launch of 2"),
        ((double, 2, 32, np.ones(64)), {"block": "x"}, "no block 'x'"),
        ((double, 2, 32, np.ones(64)), {"block": 0.0}, "no block 0.0"),
        ((double, 2, 32, np.ones(64)), {"block": ()}, "no block ()"),
        ((double, 2, 32, np.ones(64)), {"foo": 1}, "`step` has no option `foo`"),
        ((double, 2, 32, np.ones(64)), {"trace": False}, "`step` has no option `trace`"),
        ((double, 2, 32, np.ones(64)), {"order": 3}, "`order=3` is not an order"),
        ((double, 2, 32, np.ones(64)), {"max_turns": "x"}, "`max_turns='x'` is not a whole number"),
        ((simulate(double, 2, 32, np.ones(64)),), {"block": "x"}, "no block 'x'"),
        ((simulate(double, 2, 32, np.ones(64)),), {"block": 1}, "no step of block 1"),
        ((simulate(double, 2, 32, np.ones(64), trace=False),), {}, "no step of this launch"),
        ((double, 1, 2000, np.ones(64)), {}, "must be 1 to 1024"),
        ((double, 1, 32), {}, "argument"),
    ],
)
def test_what_cannot_be_stepped_through_is_told_in_a_card(arguments, options, told, capsys):
    step(*arguments, **options)
    said = capsys.readouterr().out
    assert told in said and "fault of the course" not in said


def test_a_trace_takes_no_launch(capsys):
    trace = simulate(double, 1, 32, np.ones(32))
    step(trace, 1, 32)
    assert "as it was recorded" in capsys.readouterr().out


def test_in_a_notebook_it_is_shown_with_its_story(monkeypatch):
    shown = []
    monkeypatch.setattr(stepping, "in_notebook", lambda: True)
    shell = InteractiveShell.instance()
    monkeypatch.setattr(shell.display_pub, "publish", lambda **sent: shown.append(sent["data"]))
    step(double, 1, 32, np.ones(32, np.float32))
    widget, story = shown
    assert "application/vnd.jupyter.widget-view+json" in widget
    assert "<details open" in story["text/html"]
    InteractiveShell.clear_instance()
