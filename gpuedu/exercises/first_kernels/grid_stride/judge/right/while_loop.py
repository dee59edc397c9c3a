# The loop with while.
@cuda.jit
def square(x, out):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    while i < out.size:
        out[i] = x[i] * x[i]
        i += cuda.blockDim.x * cuda.gridDim.x
