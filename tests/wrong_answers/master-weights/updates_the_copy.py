# loses: master
def master_step(master, gradient, lr):
    weight = master.to(gradient.dtype) - lr * gradient
    return weight.float(), weight
