# loses: values
# ** as in Python, which does not compile
gelu = cp.ElementwiseKernel(
    "float32 x",
    "float32 y",
    """
    float u = 0.79788456f * (x + 0.044715f * x ** 3);
    y = 0.5f * x * (1.0f + tanhf(u));
    """,
    "gelu",
)
