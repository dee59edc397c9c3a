# loses: survivor
def smallest_gradient(beta2):
    return (2.0**-24 / (1 - beta2)) ** 0.5
