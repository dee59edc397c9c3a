"""The rung in Triton: right in Triton's interpreter, and on Tensor Cores in the compiled code."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("triton")

# Triton decides when it is imported whether it interprets. Its interpreter multiplies bfloat16 as
# whole numbers, so the same kernel is run on float16 there.
INTERPRETED = """
import torch, triton
from gpuedu.ladder.triton_bf16 import matmul_bf16

torch.manual_seed(1)
for m, n, k in [(128, 64, 64), (70, 130, 19), (1, 5, 1), (200, 97, 100)]:
    a, b = torch.randn(m, k).half(), torch.randn(k, n).half()
    c = torch.full((m, n), float("nan")).half()
    programs = triton.cdiv(m, 64) * triton.cdiv(n, 32)
    matmul_bf16[(programs,)](a, b, c, m, n, k, ROWS=64, COLUMNS=32, DEPTH=32, GROUP=2)
    exact = a.double() @ b.double()
    assert ((c.double() - exact).abs() <= exact.abs() * 2**-10 + k * 2**-22).all(), (m, n, k)
print("right")
"""

COMPILED = """
import warnings
warnings.simplefilter("ignore")
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from gpuedu.ladder.triton_bf16 import SIZES, matmul_bf16

kinds = dict(a="*bf16", b="*bf16", c="*bf16", m="i32", n="i32", k="i32")
sizes = ("ROWS", "COLUMNS", "DEPTH", "GROUP")
aligned = {(i,): [["tt.divisibility", 16]] for i in range(6)}
rows, columns, depth, warps, stages = SIZES[0]
source = ASTSource(
    matmul_bf16,
    signature={**kinds, **dict.fromkeys(sizes, "constexpr")},
    constexprs=dict(zip(sizes, (rows, columns, depth, 8))),
    attrs=aligned,
)
for capability, instruction in ((80, "mma.sync"), (90, "wgmma.mma_async")):
    options = dict(num_warps=warps, num_stages=stages)
    ptx = triton.compile(source, GPUTarget("cuda", capability, 32), options).asm["ptx"]
    assert instruction in ptx and "cp.async" in ptx, capability
print("on Tensor Cores")
"""


@pytest.mark.parametrize(
    ("program", "said", "interpret"),
    [(INTERPRETED, "right", "1"), (COMPILED, "on Tensor Cores", "0")],
    ids=["interpreted", "compiled"],
)
def test_the_triton_rung(root, tmp_path, program, said, interpret):
    own = {"TRITON_INTERPRET": interpret, "TRITON_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **own, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip() == said
