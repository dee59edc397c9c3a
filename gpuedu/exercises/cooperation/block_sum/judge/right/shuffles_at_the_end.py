# The last warp hands its numbers over by shuffles.
@cuda.jit
def block_sum(x, sums):
    part = cuda.shared.array(256, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    part[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half >= 32:
        if t < half:
            part[t] += part[t + half]
        cuda.syncthreads()
        half //= 2
    if t < 32:
        value = part[t]
        for d in (16, 8, 4, 2, 1):
            value += cuda.shfl_down_sync(0xFFFFFFFF, value, d)
        if t == 0:
            sums[cuda.blockIdx.x] = value
