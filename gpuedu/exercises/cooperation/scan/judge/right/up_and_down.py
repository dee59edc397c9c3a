# The work-efficient tree: sums up, then down.
@cuda.jit
def scan_block(x, out, totals):
    part = cuda.shared.array(256, np.int32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    part[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    d = 1
    while d < cuda.blockDim.x:
        k = (t + 1) * 2 * d - 1
        if k < cuda.blockDim.x:
            part[k] += part[k - d]
        cuda.syncthreads()
        d *= 2
    d = cuda.blockDim.x // 4
    while d > 0:
        k = (t + 1) * 2 * d - 1
        if k + d < cuda.blockDim.x:
            part[k + d] += part[k]
        cuda.syncthreads()
        d //= 2
    if i < x.size:
        out[i] = part[t]
    if t == cuda.blockDim.x - 1:
        totals[cuda.blockIdx.x] = part[t]
