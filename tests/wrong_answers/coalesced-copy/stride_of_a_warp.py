# loses: once
# goes on by a warp, and meets the next one
@cuda.jit
def copy_striped(src, dst):
    for i in range(cuda.grid(1), src.size, 32):
        dst[i] = src[i]
