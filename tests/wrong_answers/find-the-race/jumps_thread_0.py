# loses: parallel
# one thread does it all, and needs no barrier
@cuda.jit
def jumps(x, out):
    s = cuda.shared.array(128, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    if t == 0:
        for k in range(i, min(i + cuda.blockDim.x, x.size)):
            s[k - i] = x[k]
        for k in range(i, min(i + cuda.blockDim.x, x.size)):
            before = s[max(k - i - 1, 0)]
            out[k] = s[k - i] - before
