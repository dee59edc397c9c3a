# loses: gradient
def master_step(master, gradient, lr):
    master = master - (lr * gradient).float()
    return master, master.to(gradient.dtype)
