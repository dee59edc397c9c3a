# loses: amdahl
# gives the new time
def amdahl(p, n):
    return (1 - p) + p / n
