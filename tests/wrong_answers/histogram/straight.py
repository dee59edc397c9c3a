# loses: few-updates
# atomics, but straight into global memory
@cuda.jit
def histogram(values, hist):
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(hist, values[i], 1)
