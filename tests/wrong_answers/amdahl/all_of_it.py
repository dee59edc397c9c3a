# loses: amdahl
# spreads everything and forgets the serial part
def amdahl(p, n):
    return n / p if p else 1
