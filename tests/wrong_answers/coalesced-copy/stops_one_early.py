# loses: every
# the last element is left out
@cuda.jit
def copy_striped(src, dst):
    for i in range(cuda.grid(1), src.size - 1, cuda.gridsize(1)):
        dst[i] = src[i]
