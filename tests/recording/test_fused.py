"""The series of kernels beside PyTorch's: wrong results are not recorded."""

from __future__ import annotations

import pytest

from gpuedu.recording import fused
from gpuedu.recording.measuring import measure_points
from tests.recording.planted import TINY, PlantedBench


@pytest.mark.parametrize(
    "name", ["bind_softmax", "bind_layer_norm", "bind_attention", "bind_matmul_int8"]
)
def test_a_kernel_that_does_something_else_is_told(name, monkeypatch):
    kernels = pytest.importorskip("gpuedu.recording.triton_kernels")
    right = getattr(kernels, name)

    def bind(x, *others):
        out = others[{"bind_attention": 2, "bind_matmul_int8": 2}.get(name, 0)]
        launch = right(x, *others)
        return lambda: (launch(), out[-1].mul_(1.5))

    monkeypatch.setattr(kernels, name, bind)
    bench = PlantedBench()
    found = measure_points(fused.points(bench, TINY), bench, "s", 600)
    assert len(found.faults) == 2
    assert all("by Triton" in text and "should be" in text for text in found.faults)


def test_without_triton_the_library_is_measured_alone(monkeypatch):
    def gone(name):
        raise ImportError(name)

    monkeypatch.setattr(fused, "import_module", gone)
    bench = PlantedBench()
    found = measure_points(fused.points(bench, TINY), bench, "s", 600)
    assert {row["by"] for row in found.rows} == {"PyTorch"}
    assert not found.faults
    assert all("there is no Triton" in text for text in found.left_out)
