# Goes through all distances; an `if` that is the same for all threads skips those too large.
@cuda.jit
def block_sum(x, sums):
    part = cuda.shared.array(256, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    part[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    for half in (128, 64, 32, 16, 8, 4, 2, 1):
        if half < cuda.blockDim.x:
            if t < half:
                part[t] += part[t + half]
            cuda.syncthreads()
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]
