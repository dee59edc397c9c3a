"""bandwidth: what is measured on the learner's machine."""

from __future__ import annotations

from typing import Any

from gpuedu.clock import time_launch


def measure_bandwidth(size_bytes: int = 64 * 10**6) -> dict[str, Any]:
    """Time copy, scale, add and triad on the GPU where there is one, else on the CPU.

    PyTorch runs the same four lines on both. The arrays are ``size_bytes`` long: much more than a
    last-level cache holds, and far less than any machine's memory.

    Returns:
        Seconds by kernel, with ``n`` elements, ``itemsize`` in bytes, and the ``device``'s name.
    """
    import torch

    on_gpu = torch.cuda.is_available()
    where = torch.device("cuda" if on_gpu else "cpu")
    x = torch.rand(size_bytes // 4, device=where)
    y, out = torch.rand_like(x), torch.empty_like(x)
    kernels = {
        "copy": lambda: out.copy_(x),
        "scale": lambda: torch.mul(x, 3.0, out=out),
        "add": lambda: torch.add(x, y, out=out),
        "triad": lambda: torch.add(x, y, alpha=3.0, out=out),
    }
    sync = torch.cuda.synchronize if on_gpu else lambda: None
    times = {name: time_launch(launch, sync, warmup=2).median_s for name, launch in kernels.items()}
    name = torch.cuda.get_device_name() if on_gpu else "this machine's CPU"
    return {**times, "n": x.numel(), "itemsize": 4, "device": name}


MEASURE = measure_bandwidth
