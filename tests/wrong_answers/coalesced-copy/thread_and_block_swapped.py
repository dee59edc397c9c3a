# loses: sectors
# neighbouring threads are a grid of blocks apart
@cuda.jit
def copy_striped(src, dst):
    first = cuda.threadIdx.x * cuda.gridDim.x + cuda.blockIdx.x
    for i in range(first, src.size, cuda.gridsize(1)):
        dst[i] = src[i]
