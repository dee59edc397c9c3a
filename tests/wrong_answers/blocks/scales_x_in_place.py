# loses: one-block
# keeps an intermediate result in the input
@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        x[i] = a * x[i]
        out[i] = x[i] + y[i]
