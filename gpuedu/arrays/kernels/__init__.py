"""CuPy's kernel classes: the learner's CUDA C, run by the SIMT machine.

- ``raw``, ``raw_module``: ``RawKernel`` and ``RawModule``, whose source the learner writes;
  ``pointers``: those of their arguments that have no type.
- ``elementwise``, ``reduction``: kernels made around the learner's expressions.
- ``parameters``: their parameter lists, and the types that arguments give them; ``places``,
  ``elements``: how an argument is declared and where its elements lie; ``source``,
  ``reduction_source``: the made text, and the way back to the learner's lines.
- ``launching``: a launch, with its hazards, entered into the account.

Sources: CuPy 14 documentation, "User-Defined Kernels", and the behavior of its classes.
"""

from gpuedu.arrays.kernels.elementwise import ElementwiseKernel
from gpuedu.arrays.kernels.raw import RawKernel
from gpuedu.arrays.kernels.raw_module import RawModule
from gpuedu.arrays.kernels.reduction import ReductionKernel

__all__ = ["ElementwiseKernel", "RawKernel", "RawModule", "ReductionKernel"]
