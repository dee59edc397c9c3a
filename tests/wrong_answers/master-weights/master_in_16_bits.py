# loses: master
def master_step(master, gradient, lr):
    master = (master - lr * gradient.float()).to(gradient.dtype)
    return master, master
