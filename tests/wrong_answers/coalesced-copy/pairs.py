# loses: sectors
# two neighbours for each thread
@cuda.jit
def copy_striped(src, dst):
    for i in range(2 * cuda.grid(1), src.size, 2 * cuda.gridsize(1)):
        dst[i] = src[i]
        if i + 1 < src.size:
            dst[i + 1] = src[i + 1]
