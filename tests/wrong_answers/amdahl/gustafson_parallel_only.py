# loses: gustafson
# forgets the serial part
def gustafson(p, n):
    return p * n
