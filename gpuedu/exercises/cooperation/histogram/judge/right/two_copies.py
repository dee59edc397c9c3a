# two copies a block, for even and odd threads
@cuda.jit
def histogram(values, hist):
    part = cuda.shared.array((2, 256), np.int32)
    t = cuda.threadIdx.x
    for b in range(t, hist.size, cuda.blockDim.x):
        part[0, b] = 0
        part[1, b] = 0
    cuda.syncthreads()
    mine = t % 2
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(part, (mine, values[i]), 1)
    cuda.syncthreads()
    for b in range(t, hist.size, cuda.blockDim.x):
        cuda.atomic.add(hist, b, part[0, b] + part[1, b])
