# loses: values
# asks: That is GELU's other form, with the error function.
gelu = cp.ElementwiseKernel(
    "float32 x",
    "float32 y",
    """
    y = 0.5f * x * (1.0f + erff(x * 0.70710678f));
    """,
    "gelu",
)
