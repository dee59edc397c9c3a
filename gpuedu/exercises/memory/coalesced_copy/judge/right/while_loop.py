# A while loop, and the grid size by hand.
@cuda.jit
def copy_striped(src, dst):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    while i < dst.size:
        dst[i] = src[i]
        i += cuda.blockDim.x * cuda.gridDim.x
