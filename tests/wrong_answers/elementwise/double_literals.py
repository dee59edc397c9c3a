# loses: single
# numbers without f
gelu = cp.ElementwiseKernel(
    "float32 x",
    "float32 y",
    """
    y = 0.5 * x * (1 + tanh(0.79788456 * (x + 0.044715 * x * x * x)));
    """,
    "gelu",
)
