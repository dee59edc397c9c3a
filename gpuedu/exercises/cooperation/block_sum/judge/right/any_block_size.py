# The middle is rounded up, so that a block of any size would do.
@cuda.jit
def block_sum(x, sums):
    part = cuda.shared.array(256, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    part[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    left = cuda.blockDim.x
    while left > 1:
        half = (left + 1) // 2
        if t + half < left:
            part[t] += part[t + half]
        cuda.syncthreads()
        left = half
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]
