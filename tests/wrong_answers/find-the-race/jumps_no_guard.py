# loses: jumps
# the guard is taken out with the condition
@cuda.jit
def jumps(x, out):
    s = cuda.shared.array(128, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    s[t] = x[i]
    cuda.syncthreads()
    before = s[max(t - 1, 0)]
    out[i] = s[t] - before
