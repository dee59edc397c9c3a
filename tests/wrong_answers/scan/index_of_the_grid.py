# loses: inside
# looks for its place in part by i
@cuda.jit
def scan_block(x, out, totals):
    part = cuda.shared.array(256, np.int32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    part[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    d = 1
    while d < cuda.blockDim.x:
        before = part[i - d] if i >= d else 0
        cuda.syncthreads()
        part[t] += before
        cuda.syncthreads()
        d *= 2
    if i < x.size:
        out[i] = part[t]
    if t == cuda.blockDim.x - 1:
        totals[cuda.blockIdx.x] = part[t]
