# loses: gradient
def master_step(master, gradient, lr):
    master = master - lr * gradient
    return master, master.to(gradient.dtype)
