"""What is asked of PyTorch's allocator, with its answers planted."""

from __future__ import annotations

import torch

from gpuedu.training.memory.allocator import CudaAllocator, allocator_of


def test_the_cpu_has_none_and_a_gpu_its_own():
    assert allocator_of(torch.device("cpu")) is None
    assert isinstance(allocator_of(torch.device("cuda:0")), CudaAllocator)


def test_workspaces_are_what_clearing_them_frees(monkeypatch):
    live = {"bytes": 900}
    log = []
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda device: live["bytes"])
    monkeypatch.setattr(torch.cuda, "synchronize", log.append)
    monkeypatch.setattr(
        torch._C, "_cuda_clearCublasWorkspaces", lambda: live.update(bytes=600), raising=False
    )
    device = torch.device("cuda:0")
    assert CudaAllocator(device).release_workspaces() == 300
    assert log == [device]


def test_a_pytorch_that_cannot_clear_them_tells_of_none(monkeypatch):
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda device: 900)
    monkeypatch.delattr(torch._C, "_cuda_clearCublasWorkspaces", raising=False)
    assert CudaAllocator(torch.device("cuda:0")).release_workspaces() == 0
