# loses: inside
# as many threads as bins are taken for granted
@cuda.jit
def histogram(values, hist):
    part = cuda.shared.array(256, np.int32)
    t = cuda.threadIdx.x
    part[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(part, values[i], 1)
    cuda.syncthreads()
    cuda.atomic.add(hist, t, part[t])
