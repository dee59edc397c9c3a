# loses: gustafson
# takes p for the serial share
def gustafson(p, n):
    return p + (1 - p) * n
