# loses: ordered
# every thread adds to part[0]
@cuda.jit
def block_sum(x, sums):
    part = cuda.shared.array(256, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    part[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    if t > 0:
        part[0] += part[t]
    cuda.syncthreads()
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]
