"""Which kernels Inductor writes for a layer on an H100, and the bytes that fusion saves.

No GPU is needed: the tensors have shapes and no values, what PyTorch asks the device is answered
here, and the kernels are written but never run. It reaches into PyTorch's own parts, so it is for
one version of it; it takes half a minute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any
from unittest import mock

import torch
import torch._inductor.config

NAME = "fused-layer"
WHAT = "kernels of a compiled layer on an H100, the operations that each fuses, and their bytes"

ROWS, INNER, HIDDEN, OUT = 8192, 1024, 4096, 1024
SHORT = 1024
"""A hidden size for which Inductor holds a whole row in a program."""
LIMIT = 4.0
_DEVICE = SimpleNamespace(
    name="NVIDIA H100 80GB HBM3",
    major=9,
    minor=0,
    multi_processor_count=132,
    max_threads_per_multi_processor=2048,
    max_threads_per_block=1024,
    warp_size=32,
    regs_per_multiprocessor=65536,
    shared_memory_per_block_optin=232448,
    shared_memory_per_multiprocessor=233472,
    L2_cache_size=50 * 2**20,
    total_memory=80 * 2**30,
    gcnArchName="",
)
"""CUDA Programming Guide, "Technical Specifications per Compute Capability" (9.0)."""


class _WrittenError(Exception):
    """The kernels are written: nothing is to be done with them."""


def run(tell: Callable[[str], None]) -> dict[str, Any]:
    """The layer as one graph, in two with a break before its last operations, and with short rows.

    Each has ``operations``, which PyTorch runs one by one, and ``kernels``, which are written for
    them: names, bytes that are read and written, what is fused, and for kernels their ``code``.
    """
    found: dict[str, Any] = {"rows": ROWS, "hidden": HIDDEN}
    for name, hidden, parts in (
        ("one graph", HIDDEN, [_layer]),
        ("a break", HIDDEN, [_before_break, _after_break]),
        ("short rows", SHORT, [_layer]),
    ):
        operations, kernels = [], []
        for part in parts:
            with _stand_in_gpu():
                made, written = _compile(part, hidden)
            operations += made
            kernels += written
        found[name] = {"operations": operations, "kernels": kernels}
        bytes_ = [
            sum(one["reads"] + one["writes"] for one in each) for each in found[name].values()
        ]
        tell(f"{name}: {len(operations)} operations, {len(kernels)} kernels; bytes {bytes_}")
    return found


def _before_break(w: Any, x: Any) -> Any:
    h = x @ w
    peak = h.abs().max()
    h = h * (LIMIT / peak).clamp(max=1)
    return h / (1 + h.norm(dim=1, keepdim=True)), peak


def _after_break(v: Any, h: Any, scale: Any) -> Any:
    return (torch.tanh(scale * h) @ v,)


def _layer(w: Any, v: Any, x: Any, scale: Any) -> Any:
    h, peak = _before_break(w, x)
    return *_after_break(v, h, scale), peak


def _shapes(hidden: int) -> dict[str, tuple[int, ...]]:
    return {"w": (INNER, hidden), "v": (hidden, OUT), "x": (ROWS, INNER), "h": (ROWS, hidden)}


def _compile(function: Callable[..., Any], hidden: int) -> tuple[list[dict], list[dict]]:
    """Operations of a function, and the kernels that are written for it."""
    from torch._inductor.compile_fx import compile_fx_inner
    from torch._inductor.decomposition import select_decomp_table
    from torch._inductor.exc import InductorError
    from torch._inductor.graph import GraphLowering
    from torch._inductor.virtualized import V
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx

    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    mode = FakeTensorMode()
    with mode:
        given = [torch.empty(_shapes(hidden).get(name, ()), device="cuda") for name in names]
        operations = _operations(make_fx(function)(*given))
        graph = make_fx(function, decomposition_table=select_decomp_table())(*given)
    kernels: list[dict] = []

    def write(lowering: Any) -> None:
        code = lowering.codegen()[0]
        kernels.extend(_kernels(lowering, getattr(code, "value", code)))
        raise _WrittenError

    options = {"fx_graph_cache": False, "compile_threads": 1}
    with (
        mock.patch.object(GraphLowering, "compile_to_module", write),
        torch._inductor.config.patch(options),
        V.set_fake_mode(mode),
        mode,
    ):
        try:
            compile_fx_inner(graph, given)
        except InductorError as fault:
            if not kernels:
                raise RuntimeError("no kernels were written") from fault
    return operations, kernels


def _operations(graph: Any) -> list[dict]:
    """What PyTorch runs one by one: operations that make a tensor of their own."""
    found = []
    for node in graph.graph.nodes:
        if node.op != "call_function" or node.target.is_view:
            continue
        reads = sum(_size(one.meta["val"]) for one in node.all_input_nodes)
        name = node.target.overloadpacket.__name__
        found.append({"name": name, "reads": reads, "writes": _size(node.meta["val"])})
    return found


def _size(tensor: Any) -> int:
    return tensor.numel() * tensor.element_size()


def _kernels(lowering: Any, code: str) -> Iterator[dict]:
    """What is launched; a tensor counts once for each loop of a kernel that reads it.

    A kernel whose programs hold whole rows (``triton_per``) has no loops.
    """
    texts = _texts(code)
    written = iter(texts)
    for node in lowering.scheduler.nodes:
        parts = list(node.get_nodes())
        own = {one.get_name() for part in parts for one in part.get_outputs()}
        kept = own - {one for one in own if _is_stored(lowering, node, one)}
        names = [d.name for one in parts for d in one.read_writes.reads if d.name not in own]
        writes = [_bytes(lowering, one) for one in own - kept]
        is_library = type(node).__name__ == "ExternKernelSchedulerNode"
        name = "mm" if is_library else next(written)
        if name.startswith("triton_per"):
            names = sorted(set(names))
        reads = [_bytes(lowering, one) for one in names]
        fuses = [] if is_library else _fused(parts)
        yield {
            "name": name,
            "fuses": fuses,
            "reads": sum(reads),
            "writes": sum(writes),
            "code": "" if is_library else texts[name],
        }


def _is_stored(lowering: Any, node: Any, name: str) -> bool:
    """Whether somebody outside of the kernel reads a buffer."""
    if name in lowering.get_output_names():
        return True
    others = (one for one in lowering.scheduler.nodes if one is not node)
    return any(dep.name == name for one in others for dep in one.read_writes.reads)


def _bytes(lowering: Any, name: str) -> int:
    buffer = lowering.get_buffer(name) if name in lowering.name_to_buffer else None
    shape = (buffer or lowering.graph_inputs[name]).get_size()
    count = 4
    for one in shape:
        count *= int(one)
    return count


def _fused(parts: Sequence[Any]) -> list[str]:
    """The operations that the parts of a kernel come from, in the graph's order."""
    nodes = {one for part in parts for one in part.node.get_origins()}
    order = {one: at for at, one in enumerate(next(iter(nodes)).graph.nodes)}
    return [one.target.overloadpacket.__name__ for one in sorted(nodes, key=order.__getitem__)]


def _texts(code: str) -> Mapping[str, str]:
    """By name, the kernels in the text of a compiled graph, without the lines that start them."""
    found = {}
    for one in code.split("async_compile.triton(")[1:]:
        whole = one.split("'''")[1]
        body = whole[whole.index("@triton.jit") :].rstrip()
        found[body.split("def ")[1].split("(")[0]] = body
    return found


@contextmanager
def _stand_in_gpu() -> Iterator[None]:
    """PyTorch asks a device what it is, and it is an H100."""
    from torch._dynamo.device_interface import CudaInterface
    from torch.utils import _triton

    def gives(value: Any) -> Callable[..., Any]:
        return lambda *_, **__: value

    answers = [
        *((_triton, name, True) for name in ("has_triton", "has_triton_package")),
        (_triton, "triton_hash_with_backend", ""),
        (CudaInterface.Worker, "get_device_properties", _DEVICE),
        (CudaInterface, "get_device_properties", _DEVICE),
        (CudaInterface, "get_compute_capability", 90),
        (CudaInterface, "is_available", True),
        (CudaInterface, "is_triton_capable", True),
        (CudaInterface, "raise_if_triton_unavailable", None),
        (torch.cuda, "get_device_properties", _DEVICE),
        (torch.cuda, "get_device_capability", (9, 0)),
        (torch.cuda, "current_device", 0),
        (torch.cuda, "device_count", 1),
        (torch.cuda, "is_available", True),
        (torch.cuda, "get_rng_state", torch.zeros(1)),
        (torch.cuda, "set_rng_state", None),
        (torch.cuda, "_exchange_device", 0),
        (torch.cuda, "_maybe_exchange_device", 0),
    ]
    with ExitStack() as stack:
        for owner, name, value in answers:
            is_class = isinstance(owner, type)
            new = staticmethod(gives(value)) if is_class else gives(value)
            stack.enter_context(mock.patch.object(owner, name, new))
        yield
