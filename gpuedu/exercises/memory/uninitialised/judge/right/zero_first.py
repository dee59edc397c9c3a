# Every thread zeroes its own place, then fills it.
@cuda.jit
def block_sums(x, out):
    part = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = 0
    if i < x.size:
        part[t] += x[i]
    cuda.syncthreads()
    if t == 0:
        total = float32(0)
        for value in part:
            total += value
        out[cuda.blockIdx.x] = total
