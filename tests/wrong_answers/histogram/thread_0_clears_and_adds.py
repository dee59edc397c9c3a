# loses: shared-out
# one thread does what is thought to be a trifle
@cuda.jit
def histogram(values, hist):
    part = cuda.shared.array(256, np.int32)
    if cuda.threadIdx.x == 0:
        for b in range(hist.size):
            part[b] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(part, values[i], 1)
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        for b in range(hist.size):
            cuda.atomic.add(hist, b, part[b])
