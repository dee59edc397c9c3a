# loses: few-updates
# adds the running counts to hist after each value
@cuda.jit
def histogram(values, hist):
    part = cuda.shared.array(256, np.int32)
    for b in range(cuda.threadIdx.x, hist.size, cuda.blockDim.x):
        part[b] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        old = cuda.atomic.add(part, values[i], 1)
        cuda.atomic.max(hist, values[i], old + 1)
