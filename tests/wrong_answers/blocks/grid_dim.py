# loses: every-block
# multiplies by the number of blocks
@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.blockIdx.x * cuda.gridDim.x + cuda.threadIdx.x
    if i < out.size:
        out[i] = a * x[i] + y[i]
