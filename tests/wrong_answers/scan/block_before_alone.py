# loses: everywhere
# takes the sum of the one block before
@cuda.jit
def add_before(upto, out):
    i, b = cuda.grid(1), cuda.blockIdx.x
    if b > 1 and i < out.size:
        out[i] += upto[b - 1] - upto[b - 2]
    elif b == 1 and i < out.size:
        out[i] += upto[0]
