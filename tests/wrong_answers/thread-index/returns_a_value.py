# loses: inside
# a kernel cannot return
@cuda.jit
def add_ten(a, out):
    i = cuda.threadIdx.x
    return a[i] + 10
