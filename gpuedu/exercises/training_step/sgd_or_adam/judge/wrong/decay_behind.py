# loses: decay
# asks: The weights are shrunk first, then moved. You shrink the step, too.
def adamw(weights, gradient, state, lr, beta1, beta2, eps, decay):
    adam(weights, gradient, state, lr, beta1, beta2, eps)
    weights *= 1 - lr * decay
