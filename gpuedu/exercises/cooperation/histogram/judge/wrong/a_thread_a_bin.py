# loses: shared-out
# asks: Every thread looks through all values, for each of its bins. Which values are its own?
@cuda.jit
def histogram(values, hist):
    for b in range(cuda.grid(1), hist.size, cuda.gridsize(1)):
        found = 0
        for i in range(values.size):
            if values[i] == b:
                found += 1
        hist[b] = found
