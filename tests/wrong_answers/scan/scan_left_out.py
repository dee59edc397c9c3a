# loses: inside
# copies
@cuda.jit
def scan_block(x, out, totals):
    part = cuda.shared.array(256, np.int32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    part[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    if i < x.size:
        out[i] = part[t]
    if t == cuda.blockDim.x - 1:
        totals[cuda.blockIdx.x] = part[t]
