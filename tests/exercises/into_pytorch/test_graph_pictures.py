"""cuda-graphs: its timeline, its small steps, and its measurement on the simulated device."""

from __future__ import annotations

from typing import Any

import pytest

from gpuedu.clock import GraphDevice
from gpuedu.errors import AnswerError
from gpuedu.exercises.into_pytorch.cuda_graphs.gain_picture import draw_gain
from gpuedu.exercises.into_pytorch.cuda_graphs.graph_runs import run_by_graph, run_eagerly
from gpuedu.exercises.into_pytorch.cuda_graphs.measure import measure_captured
from gpuedu.exercises.into_pytorch.cuda_graphs.measured_model import tell_graphed_model
from gpuedu.exercises.into_pytorch.cuda_graphs.picture import draw_cuda_graphs
from gpuedu.exercises.into_pytorch.cuda_graphs.recorded import draw_recorded_graphs
from gpuedu.exercises.into_pytorch.cuda_graphs.trial_pictures import tell_captured


def replay_all(device: Any, step: Any, inputs: Any, *, warm_ups: int = 1) -> list[Any]:
    """A right answer; without a warm-up its capture is refused."""
    static_x, static_lr = inputs[0][0].clone(), device.tensor(inputs[0][1])
    for _ in range(warm_ups):
        step(static_x, static_lr)
    graph = device.CUDAGraph()
    with device.graph(graph):
        static_y = step(static_x, static_lr)
    results = []
    for x, lr in inputs:
        static_x.copy_(x)
        static_lr.fill_(lr)
        graph.replay()
        results.append(static_y.clone())
    return results


def cold(device: Any, step: Any, inputs: Any) -> list[Any]:
    return replay_all(device, step, inputs, warm_ups=0)


def stale(device: Any, step: Any, inputs: Any) -> list[Any]:
    return replay_all(device, step, [inputs[0]] * len(inputs))


def test_the_timeline_begins_after_the_capture_and_says_what_it_cost() -> None:
    ax = draw_cuda_graphs(replay_all)
    heads = [text.get_text() for text in ax.texts]
    assert any(one.startswith("launched one by one: 243 µs, GPU idle 41%") for one in heads)
    assert any(one.startswith("your replays: 195 µs") for one in heads)
    assert any(
        "yours, with 0 captures" in text.get_text() for text in draw_cuda_graphs(run_eagerly).texts
    )


def test_a_refused_capture_is_told_instead_of_drawn() -> None:
    with pytest.raises(AnswerError, match="when stream is capturing: the first launch"):
        draw_cuda_graphs(cold)


def test_small_steps_are_right_refused_or_wrong() -> None:
    calls: list[int] = []

    def counts(device: Any, x: Any) -> Any:
        calls.append(1)
        return x * len(calls)

    def looks(device: Any, x: Any) -> Any:
        return x if x.sum() > 0 else x * 2

    told = tell_captured(lambda device, x: x * 2 + 1, looks, counts).splitlines()[1:]
    kinds = ["replay gives", "refused: ", "replay gives"]
    assert all(kind in one for kind, one in zip(kinds, told, strict=True))
    assert told[0].endswith(": right") and "WRONG" in told[2]


def test_the_measurement_compares_results_first() -> None:
    given = {"make_device": GraphDevice, "numbers": 3}
    times = measure_captured(replay_all, **given)
    assert set(times) == {"eager_us", "replayed_us", "set_up_us"}
    with pytest.raises(AnswerError, match="result 1 of 40 differs"):
        measure_captured(stale, **given)
    with pytest.raises(AnswerError, match="39 results for 40 inputs"):
        measure_captured(lambda *given: replay_all(*given)[1:], **given)


def test_without_a_gpu_the_cells_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert tell_graphed_model().startswith("There is no GPU here")
    with pytest.raises(AnswerError, match="no GPU here"):
        measure_captured(replay_all)


def test_a_step_takes_tensors_and_numbers_only() -> None:
    def hands_over(value: Any) -> Any:
        return lambda device, step, inputs: [step(inputs[0][0], value)]

    import numpy as np

    given = [(np.ones(2), 0.5)]
    assert run_by_graph(hands_over(0.5), [2.0], given).got[0].tolist() == [2.5, 2.5]
    with pytest.raises(AnswerError, match="`step` takes a number"):
        run_by_graph(hands_over([0.5]), [2.0], given)


def test_recorded_graphs_are_drawn_where_there_is_a_record() -> None:
    ax = draw_recorded_graphs()
    assert ax is not None


def test_the_gain_is_marked_where_the_learner_says_it_ends() -> None:
    def times(kernels: int, kernel: float, launch: float, replay: float, node: float) -> Any:
        return kernels * max(launch, kernel), max(replay, kernels * (kernel + node))

    def told(limit_us: float) -> list[str]:
        return [text.get_text() for text in draw_gain(times, lambda *given: limit_us).texts]

    assert "no gain from 4.5 µs" in told(4.5)
    assert not any("no gain" in one for one in told(0))
