# loses: inside
# counts threads from 1, as Fortran would
@cuda.jit
def add_ten(a, out):
    i = cuda.threadIdx.x + 1
    out[i] = a[i] + 10
