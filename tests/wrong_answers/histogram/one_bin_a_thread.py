# loses: any-bins
# each thread has one bin, whatever their number
@cuda.jit
def histogram(values, hist):
    part = cuda.shared.array(256, np.int32)
    t = cuda.threadIdx.x
    if t < hist.size:
        part[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(part, values[i], 1)
    cuda.syncthreads()
    if t < hist.size:
        cuda.atomic.add(hist, t, part[t])
