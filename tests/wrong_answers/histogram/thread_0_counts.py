# loses: shared-out
# one thread of each block counts, so that nobody is in its way
@cuda.jit
def histogram(values, hist):
    part = cuda.shared.array(256, np.int32)
    for b in range(cuda.threadIdx.x, hist.size, cuda.blockDim.x):
        part[b] = 0
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        for i in range(cuda.blockIdx.x, values.size, cuda.gridDim.x):
            part[values[i]] += 1
    cuda.syncthreads()
    for b in range(cuda.threadIdx.x, hist.size, cuda.blockDim.x):
        cuda.atomic.add(hist, b, part[b])
