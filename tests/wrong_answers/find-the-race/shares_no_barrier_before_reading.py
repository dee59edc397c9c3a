# loses: shares
# moves the barrier from before the division to behind it
@cuda.jit
def shares(x, out):
    total = cuda.shared.array(1, np.float32)
    t = cuda.threadIdx.x
    for row in range(cuda.blockIdx.x, x.shape[0], cuda.gridDim.x):
        if t == 0:
            total[0] = 0
        cuda.syncthreads()
        cuda.atomic.add(total, 0, x[row, t])
        out[row, t] = x[row, t] / total[0]
        cuda.syncthreads()
