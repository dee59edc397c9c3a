# loses: one-block
# scales the wrong array
@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] + a * y[i]
