# loses: inside
# as many turns for all, whatever is left
@cuda.jit
def copy_striped(src, dst):
    turns = (src.size + cuda.gridsize(1) - 1) // cuda.gridsize(1)
    for turn in range(turns):
        i = turn * cuda.gridsize(1) + cuda.grid(1)
        dst[i] = src[i]
