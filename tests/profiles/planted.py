"""A trace as PyTorch's profiler writes it on a GPU, written by hand: two steps, two streams.

All times are microseconds from the start of the first step, which is at ``ORIGIN_US``. Fields and
their spelling are those of libkineto/src/output_json.cpp and CuptiActivity.cpp.
"""

from __future__ import annotations

import gzip
import json

ORIGIN_US = 4467290963193.182
MAIN, BACKWARD = 4624, 4650
GEMM = "ampere_sgemm_128x64_tn"
ADD = (
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
    "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)"
)
H2D, D2H = "Memcpy HtoD (Pinned -> Device)", "Memcpy DtoH (Device -> Pageable)"


def on_host(cat, name, start, time, thread=MAIN, **args):
    """An operator, a range or a call of the CUDA runtime."""
    return {
        "ph": "X",
        "cat": cat,
        "name": name,
        "pid": MAIN,
        "tid": thread,
        "ts": round(ORIGIN_US + start, 3),
        "dur": time,
        "args": {key.replace("_", " "): value for key, value in args.items()},
    }


def on_device(cat, name, start, time, *, stream, correlation, device=0, **args):
    """A kernel, a copy or a fill."""
    return {
        "ph": "X",
        "cat": cat,
        "name": name,
        "pid": device,
        "tid": stream,
        "ts": round(ORIGIN_US + start, 3),
        "dur": time,
        "args": {
            "device": device,
            "context": 1,
            "stream": stream,
            "correlation": correlation,
            **args,
        },
    }


def kernel(name, start, time, *, stream=7, correlation, **args):
    """A kernel with the fields that say how it was launched."""
    shape = {"registers per thread": 32, "shared memory": 0, "grid": [8, 1, 1]}
    launch = {"queued": 0, "block": [128, 1, 1], "est. achieved occupancy %": 25, **shape}
    return on_device(
        "kernel", name, start, time, stream=stream, correlation=correlation, **launch, **args
    )


def launch(start, correlation, *, thread=MAIN, name="cudaLaunchKernel", time=4.0):
    """A call of the CUDA runtime."""
    return on_host("cuda_runtime", name, start, time, thread, cbid=211, correlation=correlation)


def events():
    """Step 1 from 0 to 100, step 2 from 110 to 200; the last kernel ends at 230.

    Kernels run 20-50, 60-70, 65-80 (stream 20), 130-160 and 199-230: busy for 111 of 230.
    """
    return [
        # Before the steps: warm-up, whose kernel runs on into the first step.
        on_host("cpu_op", "aten::mul", -40.0, 20.0, External_id=1),
        launch(-30.0, 11),
        kernel("warm_up", 1.0, 5.0, correlation=11),
        # Step 1.
        on_host("user_annotation", "ProfilerStep#4", 0.0, 100.0, External_id=2),
        on_host("cpu_op", "aten::to", 2.0, 10.0, External_id=3),
        on_host("cpu_op", "aten::copy_", 3.0, 8.0, External_id=4),
        launch(4.0, 12, name="cudaMemcpyAsync"),
        on_device(
            "gpu_memcpy",
            H2D,
            8.0,
            12.0,
            stream=20,
            correlation=12,
            bytes=4096,
            **{"memory bandwidth (GB/s)": 0.341, "External id": 4},
        ),
        on_host("cpu_op", "aten::linear", 14.0, 20.0, External_id=5),
        on_host("cpu_op", "aten::t", 15.0, 3.0, External_id=6),
        on_host("cpu_op", "aten::addmm", 18.0, 15.0, External_id=7),
        launch(19.0, 13),
        kernel(GEMM, 20.0, 30.0, correlation=13, **{"External id": 7}),
        on_host(
            "cpu_op", "autograd::engine::evaluate_function: AddBackward0", 50.0, 20.0, BACKWARD
        ),
        on_host("cpu_op", "AddBackward0", 51.0, 18.0, BACKWARD, External_id=8),
        on_host("cpu_op", "aten::add", 52.0, 16.0, BACKWARD, External_id=9),
        launch(54.0, 14, thread=BACKWARD),
        kernel(ADD, 60.0, 10.0, correlation=14, **{"External id": 9}),
        launch(60.0, 15, thread=BACKWARD),
        kernel(ADD, 65.0, 15.0, stream=20, correlation=15, **{"External id": 9}),
        on_host("user_annotation", "Optimizer.step#SGD.step", 80.0, 10.0, External_id=10),
        # Step 2, of which one kernel has no link but the profiler's own, and one has none.
        on_host("user_annotation", "ProfilerStep#5", 110.0, 90.0, External_id=20),
        on_host("cpu_op", "aten::addmm", 112.0, 20.0, External_id=21),
        kernel(GEMM, 130.0, 30.0, correlation=21, **{"External id": 21}),
        on_host("cpu_op", "aten::item", 150.0, 45.0, External_id=22),
        on_host("cpu_op", "aten::_local_scalar_dense", 151.0, 43.0, External_id=23),
        launch(152.0, 22, name="cudaMemcpyAsync"),
        on_device("gpu_memcpy", D2H, 165.0, 2.0, stream=7, correlation=22, bytes=4),
        launch(155.0, 23, name="cudaStreamSynchronize", time=38.0),
        kernel("nameless", 199.0, 31.0, correlation=29),
        on_device("gpu_memset", "Memset (Device)", 170.0, 1.0, stream=7, correlation=28, bytes=64),
        # After the steps.
        launch(205.0, 24),
        kernel("too_late", 240.0, 50.0, correlation=24),
        # What is no event that took time, or is told twice.
        on_device("gpu_user_annotation", "ProfilerStep#4", 20.0, 60.0, stream=7, correlation=0),
        {"ph": "s", "id": 13, "cat": "ac2g", "name": "ac2g", "pid": MAIN, "tid": MAIN, "ts": 1.0},
        {"ph": "i", "s": "t", "name": "[memory]", "pid": MAIN, "tid": 0, "ts": 1.0, "args": {}},
        {"ph": "M", "name": "process_name", "pid": 0, "tid": 0, "args": {"name": "python"}},
        {
            "ph": "X",
            "cat": "Trace",
            "name": "PyTorch Profiler (0)",
            "pid": "Spans",
            "tid": "x",
            "ts": ORIGIN_US - 50,
            "dur": 400.0,
            "args": {"Op count": 0},
        },
    ]


def trace(rows=None):
    """A whole file."""
    return {
        "schemaVersion": 1,
        "deviceProperties": [
            {"id": 0, "name": "NVIDIA L4", "computeMajor": 8, "computeMinor": 9, "numSms": 58}
        ],
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": 1790857026000000000,
        "traceEvents": events() if rows is None else rows,
        "traceName": "trace.json",
    }


def write_trace(path, whole=None):
    """Write a trace, compressed where the name says so; returns the path."""
    text = json.dumps(trace() if whole is None else whole).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path
