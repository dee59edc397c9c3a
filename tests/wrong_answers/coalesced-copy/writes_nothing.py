# loses: every
# reads, and keeps it
@cuda.jit
def copy_striped(src, dst):
    for i in range(cuda.grid(1), src.size, cuda.gridsize(1)):
        value = src[i]
