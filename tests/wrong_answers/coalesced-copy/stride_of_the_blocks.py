# loses: sectors
# goes on by the number of blocks, not of threads
@cuda.jit
def copy_striped(src, dst):
    for i in range(cuda.grid(1), src.size, cuda.gridDim.x):
        dst[i] = src[i]
