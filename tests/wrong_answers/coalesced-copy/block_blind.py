# loses: once
# every block walks the whole array
@cuda.jit
def copy_striped(src, dst):
    for i in range(cuda.threadIdx.x, src.size, cuda.blockDim.x):
        dst[i] = src[i]
