# loses: gustafson
# thinks both laws say the same
def gustafson(p, n):
    return 1 / ((1 - p) + p / n)
