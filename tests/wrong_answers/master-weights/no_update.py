# loses: master
def master_step(master, gradient, lr):
    return master, (master - lr * gradient.float()).to(gradient.dtype)
