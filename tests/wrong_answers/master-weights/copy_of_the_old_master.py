# loses: copy
def master_step(master, gradient, lr):
    return master - lr * gradient.float(), master.to(gradient.dtype)
