# loses: master
# asks: The master keeps what 16 bits cannot.
def master_step(master, gradient, lr):
    master = (master - lr * gradient.float()).to(gradient.dtype)
    return master, master
