# loses: parallel
# leaves the line for the decorator empty
def saxpy(a, x, y, out):
    for i in prange(len(x)):
        out[i] = a * x[i] + y[i]
