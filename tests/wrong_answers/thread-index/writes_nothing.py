# loses: inside
# computes, and keeps the result to itself
@cuda.jit
def add_ten(a, out):
    i = cuda.threadIdx.x
    b = a[i] + 10
