# loses: right
# takes the block's number for the thread's
@cuda.jit
def add_ten(a, out):
    i = cuda.blockIdx.x
    out[i] = a[i] + 10
