def adamw(weights, gradient, state, lr, beta1, beta2, eps, decay):
    weights.sub_(lr * decay * weights)
    adam(weights, gradient, state, lr, beta1, beta2, eps)
