# must lose: inside
@cuda.jit
def histogram(values, hist):
    part = cuda.shared.array(256, np.int32)
    part[cuda.threadIdx.x] = 0
    for b in range(cuda.threadIdx.x + cuda.blockDim.x, hist.size, cuda.blockDim.x):
        part[b] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(part, values[i], 1)
    cuda.syncthreads()
    for b in range(cuda.threadIdx.x, hist.size, cuda.blockDim.x):
        cuda.atomic.add(hist, b, part[b])
