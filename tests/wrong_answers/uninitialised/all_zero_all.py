# loses: waits
# every thread zeroes the whole array, also places that others have filled
@cuda.jit
def block_sums(x, out):
    part = cuda.shared.array(64, float32)
    part[:] = 0
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
