# loses: survivor
# asks: That is no fp16 number. Try them: there are only 31,743 above 0.
def smallest_gradient(beta2):
    return (2.0**-24 / (1 - beta2)) ** 0.5
