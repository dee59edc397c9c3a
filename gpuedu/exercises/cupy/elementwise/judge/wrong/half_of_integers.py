# loses: values
# asks: All of it is 0. In CUDA C, `1 / 2` is a division of whole numbers.
gelu = cp.ElementwiseKernel(
    "float32 x",
    "float32 y",
    """
    float u = 0.79788456f * (x + 0.044715f * x * x * x);
    y = 1 / 2 * x * (1.0f + tanhf(u));
    """,
    "gelu",
)
