# loses: once
# asks: The second text of the kernel names the type of its output.
gelu = cp.ElementwiseKernel(
    "float32 x",
    "float64 y",
    """
    float u = 0.79788456f * (x + 0.044715f * x * x * x);
    y = 0.5f * x * (1.0f + tanhf(u));
    """,
    "gelu",
)
