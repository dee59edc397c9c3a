# loses: right
# adds to the input
@cuda.jit
def add_ten(a, out):
    i = cuda.threadIdx.x
    a[i] = a[i] + 10
