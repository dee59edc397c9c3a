# loses: amdahl
# thinks the speed-up is the share times the workers
def amdahl(p, n):
    return p * n
