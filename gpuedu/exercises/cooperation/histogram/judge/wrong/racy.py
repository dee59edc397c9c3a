# loses: no-race
# asks: Two threads update one bin at the same time, and both read the old count. What reads, adds
#   and writes in one step?
@cuda.jit
def histogram(values, hist):
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        hist[values[i]] += 1
