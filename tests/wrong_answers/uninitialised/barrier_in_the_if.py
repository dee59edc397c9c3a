# loses: written
# the barrier goes to where the writing is
@cuda.jit
def block_sums(x, out):
    part = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    if i < x.size:
        part[t] = x[i]
        cuda.syncthreads()
    if t == 0:
        total = float32(0)
        for k in range(64):
            total += part[k]
        out[cuda.blockIdx.x] = total
