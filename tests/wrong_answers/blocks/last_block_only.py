# loses: every-block
# guards with the size of a block
@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.grid(1)
    if i < cuda.blockDim.x:
        out[i] = a * x[i] + y[i]
