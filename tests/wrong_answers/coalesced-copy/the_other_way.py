# loses: every
# copies dst to src
@cuda.jit
def copy_striped(src, dst):
    for i in range(cuda.grid(1), src.size, cuda.gridsize(1)):
        src[i] = dst[i]
