# loses: inside
# goes on up to the length itself
@cuda.jit
def copy_striped(src, dst):
    i = cuda.grid(1)
    while i <= src.size:
        dst[i] = src[i]
        i += cuda.gridsize(1)
