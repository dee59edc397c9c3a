"""compile-it and inductor-or-you: what is watched of TorchDynamo, and what the pictures show."""

from __future__ import annotations

import logging

import pytest
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.into_pytorch.compile_it.fused_pictures import draw_fused, tell_code
from gpuedu.exercises.into_pytorch.compile_it.picture import draw_calls
from gpuedu.exercises.into_pytorch.compile_it.watching import watch_calls
from gpuedu.exercises.into_pytorch.inductor_or_you.judge import moved_bytes
from gpuedu.exercises.into_pytorch.inductor_or_you.picture import draw_plans
from gpuedu.experiments.results import read_results
from tests.figures.legibility import overlapping_texts, texts_outside


def calls(*given):
    return [lambda one=one: one for one in given]


def rows(count):
    return torch.arange(3.0 * count).reshape(count, 3)


def doubled(x, gain):
    return 2 * gain * x


def stopped(x, gain):
    y = gain * x
    return y, y.sum().item()


def looped(x, gain):
    return torch.stack([gain * row for row in x])


def marked(x, gain):
    torch._dynamo.mark_dynamic(x, 0)
    return x, gain


def test_graphs_are_counted_for_each_call_with_the_guard_that_failed():
    seen = watch_calls(doubled, calls((rows(2), 0.5), (rows(2), 0.5), (rows(2), 0.7)))
    assert [one.graphs for one in seen.calls] == [(True,), (False,), (True,)]
    assert seen.calls[2].reason.startswith("gain == 0.5, in `")
    assert (seen.ends, seen.line, seen.refused) == ("", "", "")


def test_a_break_behind_the_last_operation_is_one():
    seen = watch_calls(stopped, calls((rows(2), 0.5)))
    assert seen.calls[0].graphs == (True,)
    assert "Tensor.item()" in seen.ends
    assert seen.line == "return y, y.sum().item()"


def test_a_size_that_is_marked_and_fixed_is_refused_and_the_rest_is_seen_without_the_mark():
    seen = watch_calls(looped, [lambda n=n: marked(rows(n), 0.5) for n in (3, 3, 4)])
    assert "marked" in seen.refused and not seen.refused.endswith(".")
    assert seen.fixed.startswith("return torch.stack")
    assert [one.compiled for one in seen.calls] == [1, 0, 1]


def test_settings_and_logs_are_as_before_and_a_notebooks_own_do_not_count():
    before = logging.root.manager.disable
    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        assert watch_calls(stopped, calls((rows(2), 0.5))).ends
        assert torch._dynamo.config.capture_scalar_outputs
    assert logging.root.manager.disable == before


def test_what_a_function_raises_is_raised():
    def wrong(x, gain):
        return x @ x

    with pytest.raises(RuntimeError, match="cannot be multiplied"):  # not of a "fake tensor call"
        watch_calls(wrong, calls((rows(2), 0.5)))


def test_a_mark_inside_of_what_is_compiled_is_told():
    with pytest.raises(AnswerError, match="must not find `mark_dynamic`"):
        watch_calls(marked, calls((rows(2), 0.5)))


def layer_as_given(w, v, x, gain, step):
    h = x @ w
    return torch.tanh(gain * h) @ v, h.sum().item()


def layer(w, v, x, scale):
    return torch.tanh(scale * (x @ w)) @ v, None


def open_arguments(x, gain, step):
    torch._dynamo.mark_dynamic(x, 0)
    return x, torch.tensor(gain)


DRAWN = {
    "given": lambda: draw_calls(layer_as_given),
    "one graph": lambda: draw_calls(open_arguments, layer),
    "fused": draw_fused,
    "plans": lambda: draw_plans(moved_bytes),
}


@pytest.mark.parametrize("name", DRAWN)
def test_pictures_can_be_read(name):
    ax = DRAWN[name]()
    assert overlapping_texts(ax) == []
    assert texts_outside(ax) == []


def test_the_title_counts_what_was_compiled():
    assert draw_calls(open_arguments, layer).get_title(loc="left") == (
        "layer: 1 graph compiled in 6 calls"
    )
    with pytest.raises(AnswerError, match="your two functions"):
        draw_calls(layer, layer, layer)


def test_a_function_that_gives_no_bytes_is_not_drawn():
    with pytest.raises(AnswerError, match="whole number"):
        draw_plans(lambda kernels, sizes, results: None)


def test_what_was_written_for_the_layer_is_what_the_text_says():
    """Eleven operations between the products, three kernels, and four with a break."""
    values = read_results("fused-layer").values
    between = {
        (name, kind): [one for one in values[name][kind] if one["name"] != "mm"]
        for name in ("one graph", "a break", "short rows")
        for kind in ("operations", "kernels")
    }
    assert len(between["one graph", "operations"]) == 11
    assert [len(between[name, "kernels"]) for name in ("one graph", "a break", "short rows")] == [
        *(3, 4, 3)
    ]
    size = 4 * values["rows"] * values["hidden"]
    passes = [
        round(sum(one["reads"] + one["writes"] for one in ran) / size, 2)
        for key, ran in between.items()
        if key[0] != "short rows"
    ]
    assert passes == [12, 4, 12, 6]
    assert tell_code().count("tl.load(in_out_ptr0") == 2
    assert between["short rows", "kernels"][-1]["code"].count("tl.load(in_out_ptr0") == 1
