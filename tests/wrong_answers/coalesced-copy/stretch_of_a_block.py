# loses: sectors
# a stretch for each block, and in it one for each thread
@cuda.jit
def copy_striped(src, dst):
    share = (src.size + cuda.gridDim.x - 1) // cuda.gridDim.x
    each = (share + cuda.blockDim.x - 1) // cuda.blockDim.x
    end = min((cuda.blockIdx.x + 1) * share, src.size)
    first = cuda.blockIdx.x * share + cuda.threadIdx.x * each
    for i in range(first, min(first + each, end)):
        dst[i] = src[i]
