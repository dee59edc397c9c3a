# loses: limit
# forgets that nothing may be serial
def amdahl_limit(p):
    return 1 / (1 - p)
