# each thread has a run of neighboring values
@cuda.jit
def histogram(values, hist):
    part = cuda.shared.array(256, np.int32)
    for b in range(cuda.threadIdx.x, 256, cuda.blockDim.x):
        part[b] = 0
    cuda.syncthreads()
    each = (values.size + cuda.gridsize(1) - 1) // cuda.gridsize(1)
    first = cuda.grid(1) * each
    for i in range(first, min(first + each, values.size)):
        cuda.atomic.add(part, values[i], 1)
    cuda.syncthreads()
    for b in range(cuda.threadIdx.x, hist.size, cuda.blockDim.x):
        cuda.atomic.add(hist, b, part[b])
