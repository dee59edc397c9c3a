# loses: every
# what does not fill all threads once more is left over
@cuda.jit
def copy_striped(src, dst):
    threads = cuda.gridsize(1)
    for turn in range(src.size // threads):
        i = turn * threads + cuda.grid(1)
        dst[i] = src[i]
