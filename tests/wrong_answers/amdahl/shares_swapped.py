# loses: amdahl
# takes p for the serial share
def amdahl(p, n):
    return 1 / (p + (1 - p) / n)
