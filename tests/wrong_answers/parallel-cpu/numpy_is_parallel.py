# loses: parallel
# thinks NumPy runs on all cores
def saxpy(a, x, y, out):
    out[:] = a * x + y
