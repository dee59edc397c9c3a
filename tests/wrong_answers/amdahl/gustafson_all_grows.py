# loses: gustafson
# lets the serial part grow too
def gustafson(p, n):
    return n * amdahl(p, n)
