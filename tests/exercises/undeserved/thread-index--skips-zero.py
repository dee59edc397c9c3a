# must lose: right
@cuda.jit
def add_ten(a, out):
    i = cuda.threadIdx.x
    if a[i] != 0:
        out[i] = a[i] + 10
