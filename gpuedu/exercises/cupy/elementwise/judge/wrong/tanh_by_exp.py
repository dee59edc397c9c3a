# loses: large
# asks: NaN comes of infinity over infinity, or infinity minus infinity. Which of your terms
#   overflows? `tanhf` never does.
gelu = cp.ElementwiseKernel(
    "float32 x",
    "float32 y",
    """
    float u = 0.79788456f * (x + 0.044715f * x * x * x);
    float e = expf(2.0f * u);
    y = 0.5f * x * (1.0f + (e - 1.0f) / (e + 1.0f));
    """,
    "gelu",
)
