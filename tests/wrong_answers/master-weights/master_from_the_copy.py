# loses: master
def master_step(master, gradient, lr):
    weight = (master - lr * gradient.float()).to(gradient.dtype)
    return weight.float(), weight
