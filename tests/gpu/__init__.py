"""The SIMT machine and the lens against a real GPU: ``make gpu``, or ``python3 -m tests.gpu``.

Runs from a bare checkout with numpy, numba and numba-cuda; kernels in CUDA C need CuPy, tree-sitter,
tree-sitter-cuda and pcpp, too, and are told as left out without them. Without a GPU it says what is
missing and ends with exit code 3; ``--machine-only`` runs the machine's side alone.
"""
