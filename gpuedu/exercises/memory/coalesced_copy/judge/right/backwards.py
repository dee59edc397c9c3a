# From the end to the beginning.
@cuda.jit
def copy_striped(src, dst):
    for k in range(cuda.grid(1), src.size, cuda.gridsize(1)):
        i = src.size - 1 - k
        dst[i] = src[i]
