"""A simulated device that captures and replays: values, times, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gpuedu.clock import CUDAGraph, DeviceTensor, GraphDevice
from gpuedu.clock.graphs import CPU, GPU, REFUSED
from gpuedu.errors import AnswerError
from gpuedu.units import US


def captured(
    device: GraphDevice, step: Callable[[], DeviceTensor]
) -> tuple[CUDAGraph, DeviceTensor]:
    """A graph of the step, warmed up, and its result."""
    step()
    graph = device.CUDAGraph()
    with device.graph(graph):
        result = step()
    return graph, result


def test_a_capture_runs_nothing_and_a_replay_reads_what_is_there_by_then() -> None:
    device = GraphDevice()
    x = device.tensor([1.0, 2.0])
    graph, y = captured(device, lambda: x * 3 + 1)
    assert y.tolist() != y.tolist()  # nothing but NaN
    graph.replay()
    assert y.tolist() == [4.0, 7.0]
    x.copy_(device.tensor([5.0, -1.0]))
    assert y.tolist() == [4.0, 7.0]
    graph.replay()
    assert y.tolist() == [16.0, -2.0]


def test_a_number_is_frozen_and_a_tensor_is_not() -> None:
    device, rate = GraphDevice(), 2.0
    x, static = device.tensor([1.0]), device.tensor(2.0)
    graph, (by_number, by_tensor) = captured(device, lambda: (x * rate, x * static))
    rate = 10.0
    static.fill_(rate)
    graph.replay()
    assert (by_number.tolist(), by_tensor.tolist()) == ([2.0], [10.0])


def test_a_replay_costs_the_cpu_one_launch_and_each_kernel_a_little() -> None:
    device = GraphDevice(launch_s=5 * US, replay_s=8 * US, node_s=0.25 * US)
    x = device.tensor([1.0])
    graph, _ = captured(device, lambda: x * 2 * 3 * 4)
    device.synchronize()
    start_s = device.timeline.end_s
    graph.replay()
    device.synchronize()
    later = [one for one in device.timeline.intervals if one.start_s >= start_s]
    assert [one.kind for one in later if one.lane == CPU] == ["replay", "wait"]
    assert len([one for one in later if one.lane == GPU]) == 3
    assert device.timeline.end_s - start_s == pytest.approx(8 * US + 3 * 1.25 * US)


@pytest.mark.parametrize(
    "forbidden",
    [
        lambda device, x, graph: x.sum().item(),
        lambda device, x, graph: x.tolist(),
        lambda device, x, graph: 1 if x.sum() > 0 else 2,
        lambda device, x, graph: float(x.sum()),
        lambda device, x, graph: device.synchronize(),
        lambda device, x, graph: device.tensor(1.0),
        lambda device, x, graph: graph.replay(),
        lambda device, x, graph: x - 1,  # not warmed up
        lambda device, x, graph: device.graph(device.CUDAGraph()).__enter__(),
    ],
)
def test_what_waits_for_the_device_is_refused_in_a_capture(forbidden: Callable) -> None:
    device = GraphDevice()
    x = device.tensor([1.0, 2.0])
    assert x.sum() > 0
    graph = device.CUDAGraph()
    with pytest.raises(AnswerError, match=REFUSED), device.graph(graph):
        forbidden(device, x, graph)
    assert len(device.refused) == 1
    with pytest.raises(AnswerError, match="without a successful capture"):
        graph.replay()


def test_a_graph_is_captured_once_and_before_it_is_replayed() -> None:
    device = GraphDevice()
    x = device.tensor([1.0])
    with pytest.raises(AnswerError, match="without a successful capture"):
        device.CUDAGraph().replay()
    graph, _ = captured(device, lambda: x * 2)
    with pytest.raises(AnswerError, match="captured already"), device.graph(graph):
        pass


def test_what_is_no_tensor_of_this_device_is_told() -> None:
    device, other = GraphDevice(), GraphDevice()
    x = device.tensor([1.0, 2.0])
    with pytest.raises(AnswerError, match="tensors of this device"):
        x.copy_(other.tensor([1.0, 2.0]))
    with pytest.raises(AnswerError, match="shape"):
        x.copy_(device.tensor([1.0]))
    with pytest.raises(AnswerError, match="takes a number"):
        x.fill_("1")
    with pytest.raises(AnswerError, match="one element"):
        x.item()
    with pytest.raises(AnswerError, match="takes a graph"), device.graph(other.CUDAGraph()):
        pass


def test_where_chooses_on_the_device() -> None:
    device = GraphDevice()
    x = device.tensor([-1.0, 4.0])
    assert device.where(x < 0, x * -1, x).tolist() == [1.0, 4.0]
    assert (2 * x - 1 + x.sum()).tolist() == [0.0, 10.0]
    assert x.shape == (2,) and repr(x) == "DeviceTensor(shape=(2,))"
