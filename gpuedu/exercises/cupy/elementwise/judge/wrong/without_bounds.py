# loses: values
# asks: This is 0 for negative x. GELU is small there, but not 0.
gelu = cp.ElementwiseKernel(
    "float32 x",
    "float32 y",
    """
    if (x > 0) {
        float u = 0.79788456f * (x + 0.044715f * x * x * x);
        y = 0.5f * x * (1.0f + tanhf(u));
    } else {
        y = 0.0f;
    }
    """,
    "gelu",
)
