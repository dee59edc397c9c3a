# loses: amdahl
# takes p for per cent
def amdahl(p, n):
    return 1 / ((100 - p) / 100 + p / 100 / n)
