# loses: right
# takes the first thread for number 1
@cuda.jit
def add_ten(a, out):
    i = cuda.threadIdx.x - 1
    out[i] = a[i] + 10
