# loses: once
# goes on by a block, and meets its neighbour
@cuda.jit
def copy_striped(src, dst):
    for i in range(cuda.grid(1), src.size, cuda.blockDim.x):
        dst[i] = src[i]
