# loses: decay


def adamw(weights, gradient, state, lr, beta1, beta2, eps, decay):
    adam(weights, gradient + decay * weights, state, lr, beta1, beta2, eps)
