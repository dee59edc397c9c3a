# loses: every
# compares where it should assign
@cuda.jit
def copy_striped(src, dst):
    for i in range(cuda.grid(1), src.size, cuda.gridsize(1)):
        dst[i] == src[i]  # noqa: B015
