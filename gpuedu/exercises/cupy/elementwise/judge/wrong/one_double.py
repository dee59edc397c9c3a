# loses: single
# asks: A number with a point, such as `0.5`, is a double in C, and so is whatever it meets:
#   `0.5f` is a float. Variables of type double, and `pow` with a whole number, do the same.
gelu = cp.ElementwiseKernel(
    "float32 x",
    "float32 y",
    """
    float u = 0.79788456 * (x + 0.044715f * x * x * x);
    y = 0.5f * x * (1.0f + tanhf(u));
    """,
    "gelu",
)
