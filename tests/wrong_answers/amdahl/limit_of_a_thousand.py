# loses: limit
# takes a thousand workers for endless ones
def amdahl_limit(p):
    return amdahl(p, 1000)
