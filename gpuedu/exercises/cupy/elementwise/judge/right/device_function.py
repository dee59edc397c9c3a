# A function in the preamble.
gelu = cp.ElementwiseKernel(
    "float32 x",
    "float32 y",
    "y = gelu_of(x)",
    "gelu",
    preamble="""
    __device__ float gelu_of(float x) {
        float cube = x * x * x;
        return 0.5f * x * (1.0f + tanhf(fmaf(0.044715f, cube, x) * 0.79788456f));
    }
    """,
)
