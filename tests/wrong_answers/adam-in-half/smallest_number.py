# loses: survivor
def smallest_gradient(beta2):
    return 2.0**-24
