# loses: right
# a plain function is no kernel
def add_ten(a, out):
    i = cuda.threadIdx.x
    out[i] = a[i] + 10
