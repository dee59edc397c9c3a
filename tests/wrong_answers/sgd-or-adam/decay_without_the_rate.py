# loses: decay


def adamw(weights, gradient, state, lr, beta1, beta2, eps, decay):
    weights *= 1 - decay
    adam(weights, gradient, state, lr, beta1, beta2, eps)
