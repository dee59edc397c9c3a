# loses: no-race
# all threads add to the same elements, without atomics
@cuda.jit
def starts(lengths, start):
    i = cuda.grid(1)
    if i < lengths.size:
        start[i] = 0
        for k in range(i + 1, lengths.size):
            start[k] += lengths[i]
