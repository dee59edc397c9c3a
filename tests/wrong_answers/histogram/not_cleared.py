# loses: counts
# shared memory is thought to begin with zeros
@cuda.jit
def histogram(values, hist):
    part = cuda.shared.array(256, np.int32)
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(part, values[i], 1)
    cuda.syncthreads()
    for b in range(cuda.threadIdx.x, hist.size, cuda.blockDim.x):
        cuda.atomic.add(hist, b, part[b])
