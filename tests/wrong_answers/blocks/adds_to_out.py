# loses: one-block
# adds to what stands in out
@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] += a * x[i] + y[i]
