# must lose: state
def sgd(weights, gradient, state, lr, momentum):
    weights -= lr * gradient


def adam(weights, gradient, state, lr, beta1, beta2, eps):
    pass


def adamw(weights, gradient, state, lr, beta1, beta2, eps, decay):
    pass
