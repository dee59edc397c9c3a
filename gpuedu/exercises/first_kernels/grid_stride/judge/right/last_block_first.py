# The last block takes the first part of each step.
@cuda.jit
def square(x, out):
    block = cuda.gridDim.x - 1 - cuda.blockIdx.x
    for i in range(block * cuda.blockDim.x + cuda.threadIdx.x, len(x), cuda.gridsize(1)):
        out[i] = x[i] * x[i]
