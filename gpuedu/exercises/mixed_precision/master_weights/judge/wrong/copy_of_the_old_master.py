# loses: copy
# asks: Are the weights made from the master as it is *after* the update?
def master_step(master, gradient, lr):
    return master - lr * gradient.float(), master.to(gradient.dtype)
