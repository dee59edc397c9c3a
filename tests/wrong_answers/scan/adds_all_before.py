# loses: everywhere
# adds sums that hold each other
@cuda.jit
def add_before(upto, out):
    i, b = cuda.grid(1), cuda.blockIdx.x
    if i < out.size:
        for k in range(b):
            out[i] += upto[k]
