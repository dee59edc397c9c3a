# loses: survivor
# asks: That is the smallest fp16 number. What is its square?
def smallest_gradient(beta2):
    return 2.0**-24
