# loses: limit
# thinks endless workers are endlessly fast
def amdahl_limit(p):
    return math.inf
