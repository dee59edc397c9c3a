# loses: inside
# threads beyond the end count what is not there
@cuda.jit
def histogram(values, hist):
    part = cuda.shared.array(256, np.int32)
    for b in range(cuda.threadIdx.x, hist.size, cuda.blockDim.x):
        part[b] = 0
    cuda.syncthreads()
    turns = (values.size + cuda.gridsize(1) - 1) // cuda.gridsize(1)
    for turn in range(turns):
        cuda.atomic.add(part, values[turn * cuda.gridsize(1) + cuda.grid(1)], 1)
    cuda.syncthreads()
    for b in range(cuda.threadIdx.x, hist.size, cuda.blockDim.x):
        cuda.atomic.add(hist, b, part[b])
