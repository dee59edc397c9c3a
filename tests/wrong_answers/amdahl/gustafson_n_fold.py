# loses: gustafson
# thinks n workers do n times the work
def gustafson(p, n):
    return n
