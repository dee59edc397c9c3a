# a thread keeps repeats back and adds them at once
@cuda.jit
def histogram(values, hist):
    part = cuda.shared.array(256, np.int32)
    for b in range(cuda.threadIdx.x, hist.size, cuda.blockDim.x):
        part[b] = 0
    cuda.syncthreads()
    last, repeats = -1, 0
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        if values[i] != last:
            if repeats > 0:
                cuda.atomic.add(part, last, repeats)
            last, repeats = values[i], 0
        repeats += 1
    if repeats > 0:
        cuda.atomic.add(part, last, repeats)
    cuda.syncthreads()
    for b in range(cuda.threadIdx.x, hist.size, cuda.blockDim.x):
        cuda.atomic.add(hist, b, part[b])
