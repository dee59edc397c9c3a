# Places of warps that are not there are set to 0.
@cuda.jit
def sum_by_warps(x, sums):
    part = cuda.shared.array(32, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    if t < 32:
        part[t] = 0
    cuda.syncthreads()
    value = np.float32(0)
    if i < x.size:
        value = x[i]
    value = warp_sum(value)
    if t % 32 == 0:
        part[t // 32] = value
    cuda.syncthreads()
    if t // 32 == 0:
        value = warp_sum(part[t])
    if t == 0:
        sums[cuda.blockIdx.x] = value
