# loses: any-order
# the given kernel with more threads
@cuda.jit
def starts(lengths, start):
    i = cuda.grid(1)
    if i < lengths.size:
        if i == 0:
            start[i] = 0
        else:
            start[i] = start[i - 1] + lengths[i - 1]
