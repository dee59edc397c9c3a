gelu_operation = r"""
float s = x * x;
y = fmaf(0.044715f * s, x, x);
y = tanhf(0.79788456f * y);
y = 0.5f * x * (y + 1.0f);
"""
gelu = cp.ElementwiseKernel("float32 x", "float32 y", gelu_operation, "gelu")
