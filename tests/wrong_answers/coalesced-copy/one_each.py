# loses: every
# as many elements as threads
@cuda.jit
def copy_striped(src, dst):
    i = cuda.grid(1)
    if i < src.size:
        dst[i] = src[i]
