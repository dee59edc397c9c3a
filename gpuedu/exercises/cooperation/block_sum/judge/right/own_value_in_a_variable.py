# Each thread keeps its running sum; only what others need is stored.
@cuda.jit
def block_sum(x, sums):
    part = cuda.shared.array(256, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    part[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    mine = part[t]
    half = cuda.blockDim.x // 2
    while half > 0:
        if t < half:
            mine += part[t + half]
            part[t] = mine
        cuda.syncthreads()
        half //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = mine
