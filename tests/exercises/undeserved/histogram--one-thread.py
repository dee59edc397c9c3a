# must lose: few-updates
@cuda.jit
def histogram(values, hist):
    part = cuda.shared.array(256, np.int32)
    if cuda.grid(1) == 0:
        for b in range(hist.size):
            part[b] = 0
        for i in range(values.size):
            part[values[i]] += 1
        for b in range(hist.size):
            hist[b] = part[b]
