# loses: right
# the lane within the warp: every warp takes the first 32 elements
@cuda.jit
def add_ten(a, out):
    i = cuda.laneid
    out[i] = a[i] + 10
