# must lose: few-updates
@cuda.jit
def histogram(values, hist):
    for b in range(cuda.grid(1), hist.size, cuda.gridsize(1)):
        count = 0
        for i in range(values.size):
            if values[i] == b:
                count += 1
        hist[b] = count
