"""The matmul ladder: one product, c = a @ b in float32, rung by rung in the order of the ideas.

- ``rungs``: the rungs, in Numba and CUDA C; ``rung``: what each can do.
- ``blocking``: how a product is divided; ``plain``, ``register_tile``, ``warp_tile``: the kernels
  in Numba; ``cuda_c/``: those in CUDA C.
- ``python_rung``, ``cuda_c_rung``: launching, running on the SIMT machine, compiling.
- ``library``, ``triton_bf16``: what the rungs are compared with, and a rung for Tensor Cores.
"""

from gpuedu.ladder.rung import LadderError, Rung
from gpuedu.ladder.rungs import rung, rungs

__all__ = ["LadderError", "Rung", "rung", "rungs"]
