# loses: large
# straight from the formula
logsumexp = cp.ReductionKernel(
    "float32 x", "float32 y", "expf(x)", "a + b", "y = logf(a)", "0.0f", "logsumexp"
)
