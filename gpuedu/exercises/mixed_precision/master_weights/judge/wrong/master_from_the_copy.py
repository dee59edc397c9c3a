# loses: master
# asks: Most of the updates are lost. Does the next step begin with the 16-bit copy, or with
#   what float32 kept?
def master_step(master, gradient, lr):
    weight = (master - lr * gradient.float()).to(gradient.dtype)
    return weight.float(), weight
