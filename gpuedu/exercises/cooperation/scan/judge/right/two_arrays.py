# Reads one array and writes the other, by turns.
@cuda.jit
def scan_block(x, out, totals):
    part = cuda.shared.array((2, 256), np.int32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    part[0, t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    old, d = 0, 1
    while d < cuda.blockDim.x:
        new = 1 - old
        part[new, t] = part[old, t]
        if t >= d:
            part[new, t] += part[old, t - d]
        cuda.syncthreads()
        old, d = new, 2 * d
    if i < x.size:
        out[i] = part[old, t]
    if t == cuda.blockDim.x - 1:
        totals[cuda.blockIdx.x] = part[old, t]
