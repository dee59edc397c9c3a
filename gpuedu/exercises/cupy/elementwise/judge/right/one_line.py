# Any type of array, one statement, tanh for floats by C++'s overloads.
gelu = cp.ElementwiseKernel(
    "T x",
    "T y",
    """
    y = T(0.5) * x * (T(1) + tanh(T(0.7978845608028654) * (x + T(0.044715) * x * x * x)))
    """,
    "gelu",
)
