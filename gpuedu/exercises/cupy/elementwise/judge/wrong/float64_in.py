# loses: values
# the input is declared float64
gelu = cp.ElementwiseKernel(
    "float64 x",
    "float32 y",
    """
    double u = 0.79788456 * (x + 0.044715 * x * x * x);
    y = 0.5 * x * (1.0 + tanh(u));
    """,
    "gelu",
)
