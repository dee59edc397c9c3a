# A stretch for each block, a multiple of 32; its threads walk in step.
@cuda.jit
def copy_striped(src, dst):
    share = (src.size + cuda.gridDim.x - 1) // cuda.gridDim.x
    share = (share + 31) // 32 * 32
    first = cuda.blockIdx.x * share
    for i in range(first + cuda.threadIdx.x, min(first + share, src.size), cuda.blockDim.x):
        dst[i] = src[i]
