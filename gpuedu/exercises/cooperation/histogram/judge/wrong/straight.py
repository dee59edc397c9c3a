# loses: few-updates
# asks: Every value updates `hist`. Where can a block count that is its own, so that `hist` hears
#   of each bin once?
@cuda.jit
def histogram(values, hist):
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(hist, values[i], 1)
