# loses: one-block
# the guard leaves the last element out
@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.grid(1)
    if i < out.size - 1:
        out[i] = a * x[i] + y[i]
