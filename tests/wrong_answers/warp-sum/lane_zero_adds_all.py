# loses: sum
# thread 0 adds its own sum twice
@cuda.jit
def sum_by_warps(x, sums):
    part = cuda.shared.array(32, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    total = warp_sum(x[i] if i < x.size else np.float32(0))
    if t % 32 == 0:
        part[t // 32] = total
    cuda.syncthreads()
    if t == 0:
        for w in range(cuda.blockDim.x // 32):
            total += part[w]
        sums[cuda.blockIdx.x] = total
