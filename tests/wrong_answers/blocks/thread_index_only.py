# loses: every-block
# every block takes the first elements
@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.threadIdx.x
    if i < out.size:
        out[i] = a * x[i] + y[i]
