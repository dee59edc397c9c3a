# loses: momentum


def sgd(weights, gradient, state, lr, momentum):
    v = torch.zeros_like(weights)
    v = momentum * v + gradient
    weights -= lr * v
