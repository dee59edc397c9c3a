# loses: sectors
# lane 0 copies for its warp
@cuda.jit
def copy_striped(src, dst):
    t = cuda.grid(1)
    if t % 32 == 0:
        for first in range(t, src.size, cuda.gridsize(1)):
            for i in range(first, min(first + 32, src.size)):
                dst[i] = src[i]
