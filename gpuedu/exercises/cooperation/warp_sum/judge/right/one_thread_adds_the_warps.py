# At most 32 sums: thread 0 adds them in a loop.
@cuda.jit
def sum_by_warps(x, sums):
    part = cuda.shared.array(32, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    value = x[i] if i < x.size else 0.0
    total = warp_sum(value)
    if cuda.laneid == 0:
        part[t // 32] = total
    cuda.syncthreads()
    if t == 0:
        total = np.float32(0)
        for w in range(cuda.blockDim.x // 32):
            total += part[w]
        sums[cuda.blockIdx.x] = total
