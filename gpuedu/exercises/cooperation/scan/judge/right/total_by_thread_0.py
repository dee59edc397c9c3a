# Any thread may write the total, once it is there.
@cuda.jit
def scan_block(x, out, totals):
    part = cuda.shared.array(256, np.int32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    part[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    d = 1
    while d < cuda.blockDim.x:
        before = part[t - d] if t >= d else 0
        cuda.syncthreads()
        part[t] += before
        cuda.syncthreads()
        d *= 2
    if i < x.size:
        out[i] = part[t]
    if t == 0:
        totals[cuda.blockIdx.x] = part[cuda.blockDim.x - 1]


@cuda.jit
def add_before(upto, out):
    if cuda.blockIdx.x == 0:
        return
    for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
        out[i] += upto[cuda.blockIdx.x - 1]
