# loses: no-race
# an ordinary update of a shared count
@cuda.jit
def histogram(values, hist):
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        hist[values[i]] += 1
