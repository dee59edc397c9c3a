# loses: limit
# divides by p
def amdahl_limit(p):
    return 1 / p if p else math.inf
