from __future__ import annotations

import linecache
import subprocess
import sys

import cloudpickle

CELL = """
from gpuedu.simt.host import cuda

@cuda.jit(device=True)
def twice(x):
    return 2 * x

@cuda.jit
def kernel(out):
    out[cuda.threadIdx.x] = twice(cuda.threadIdx.x)
"""
OTHER_PROCESS = """
import sys, cloudpickle
from gpuedu.simt.host import cuda
kernel = cloudpickle.loads(sys.stdin.buffer.read())
out = cuda.device_array(4)
kernel[1, 4](out)
print(out.copy_to_host().tolist(), kernel.__name__)
"""


def test_a_kernel_of_a_cell_runs_in_another_process():
    name = "<a cell of a test>"
    linecache.cache[name] = (len(CELL), None, CELL.splitlines(True), name)
    scope = {"__name__": "__main__"}
    exec(compile(CELL, name, "exec"), scope)
    scope["kernel"][1, 4](scope["cuda"].device_array(4))
    done = subprocess.run(
        [sys.executable, "-c", OTHER_PROCESS],
        input=cloudpickle.dumps(scope["kernel"]), capture_output=True, check=False,
    )  # fmt: skip
    assert done.stdout.decode().split() == ["[0.0,", "2.0,", "4.0,", "6.0]", "kernel"], done.stderr
