# loses: amdahl
# lets the work grow
def amdahl(p, n):
    return (1 - p) + p * n
