# loses: right
# the block lies along x, so threadIdx.y is 0
@cuda.jit
def add_ten(a, out):
    i = cuda.threadIdx.y
    out[i] = a[i] + 10
