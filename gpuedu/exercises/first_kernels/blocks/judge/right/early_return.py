# Leaves where there is nothing to do.
@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.threadIdx.x + cuda.blockDim.x * cuda.blockIdx.x
    if i >= len(out):
        return
    out[i] = y[i] + x[i] * a
