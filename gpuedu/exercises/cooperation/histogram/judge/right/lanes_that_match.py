# Of the lanes with one value, the first adds for all.
@cuda.jit
def histogram(values, hist):
    part = cuda.shared.array(256, np.int32)
    for b in range(cuda.threadIdx.x, hist.size, cuda.blockDim.x):
        part[b] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        alike = cuda.match_any_sync(cuda.activemask(), values[i])
        if cuda.laneid == cuda.ffs(alike) - 1:
            cuda.atomic.add(part, values[i], cuda.popc(alike))
    cuda.syncthreads()
    for b in range(cuda.threadIdx.x, hist.size, cuda.blockDim.x):
        cuda.atomic.add(hist, b, part[b])
