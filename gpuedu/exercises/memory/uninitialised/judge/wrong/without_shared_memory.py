# loses: written
# thread 0 reads from x, one element after the other
@cuda.jit
def block_sums(x, out):
    if cuda.threadIdx.x == 0:
        total = float32(0)
        for k in range(cuda.grid(1), min(cuda.grid(1) + 64, x.size)):
            total += x[k]
        out[cuda.blockIdx.x] = total
