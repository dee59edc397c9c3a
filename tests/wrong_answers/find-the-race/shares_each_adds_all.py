# loses: parallel
# each thread adds up the whole row
@cuda.jit
def shares(x, out):
    total = cuda.shared.array(1, np.float32)
    t = cuda.threadIdx.x
    for row in range(cuda.blockIdx.x, x.shape[0], cuda.gridDim.x):
        whole = np.float32(0)
        for k in range(cuda.blockDim.x):
            whole += x[row, k]
        out[row, t] = x[row, t] / whole
