# Threads of all blocks in turn: costly, and right.
@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.threadIdx.x * cuda.gridDim.x + cuda.blockIdx.x
    if i < out.shape[0]:
        out[i] = a * x[i] + y[i]
