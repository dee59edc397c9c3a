# loses: shares
# everybody sets the sum to 0, so nobody is early
@cuda.jit
def shares(x, out):
    total = cuda.shared.array(1, np.float32)
    t = cuda.threadIdx.x
    for row in range(cuda.blockIdx.x, x.shape[0], cuda.gridDim.x):
        total[0] = 0
        cuda.syncthreads()
        cuda.atomic.add(total, 0, x[row, t])
        cuda.syncthreads()
        out[row, t] = x[row, t] / total[0]
