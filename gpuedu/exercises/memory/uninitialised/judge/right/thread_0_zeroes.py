# Thread 0 zeroes all, and the others wait for it.
@cuda.jit
def block_sums(x, out):
    part = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    if t == 0:
        for k in range(64):
            part[k] = 0
    cuda.syncthreads()
    if i < x.size:
        part[t] = x[i]
    cuda.syncthreads()
    if t == 63:
        total = float32(0)
        for k in range(64):
            total += part[k]
        out[cuda.blockIdx.x] = total
