# loses: no-race
# each thread writes its successor's start
@cuda.jit
def starts(lengths, start):
    i = cuda.grid(1)
    if i == 0:
        start[0] = 0
    if i + 1 < lengths.size:
        start[i + 1] = start[i] + lengths[i]
