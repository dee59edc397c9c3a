# loses: values
# asks: That is a square, not a cube.
gelu = cp.ElementwiseKernel(
    "float32 x",
    "float32 y",
    """
    float u = 0.79788456f * (x + 0.044715f * x * x);
    y = 0.5f * x * (1.0f + tanhf(u));
    """,
    "gelu",
)
