# loses: sectors
# each thread keeps a stretch of its own
@cuda.jit
def copy_striped(src, dst):
    per_thread = (src.size + cuda.gridsize(1) - 1) // cuda.gridsize(1)
    start = cuda.grid(1) * per_thread
    for i in range(start, min(start + per_thread, src.size)):
        dst[i] = src[i]
