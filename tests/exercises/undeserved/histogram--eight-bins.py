# must lose: any-bins
@cuda.jit
def histogram(values, hist):
    part = cuda.shared.array(256, np.int32)
    for k in range(8):
        b = cuda.threadIdx.x + k * cuda.blockDim.x
        if b < hist.size:
            part[b] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(part, values[i], 1)
    cuda.syncthreads()
    for k in range(8):
        b = cuda.threadIdx.x + k * cuda.blockDim.x
        if b < hist.size:
            cuda.atomic.add(hist, b, part[b])
