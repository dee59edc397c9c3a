# loses: values
# asks: This is twice the result: is the 0.5 there?
gelu = cp.ElementwiseKernel(
    "float32 x",
    "float32 y",
    """
    float u = 0.79788456f * (x + 0.044715f * x * x * x);
    y = x * (1.0f + tanhf(u));
    """,
    "gelu",
)
