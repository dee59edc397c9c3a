# When one warp is left, the barrier of the warp is enough.
@cuda.jit
def block_sum(x, sums):
    part = cuda.shared.array(256, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    part[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if t < half:
            part[t] += part[t + half]
        if half > 32:
            cuda.syncthreads()
        else:
            cuda.syncwarp()
        half //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]
