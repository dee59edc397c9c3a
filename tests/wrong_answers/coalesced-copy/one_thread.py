# loses: sectors
# one thread does it all
@cuda.jit
def copy_striped(src, dst):
    if cuda.grid(1) == 0:
        for i in range(src.size):
            dst[i] = src[i]
