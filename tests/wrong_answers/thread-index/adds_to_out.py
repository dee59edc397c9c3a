# loses: right
# adds to what stands in out
@cuda.jit
def add_ten(a, out):
    i = cuda.threadIdx.x
    out[i] += a[i] + 10
