# loses: momentum
# asks: Nothing is left of earlier gradients. Is the momentum kept in `state`?
def sgd(weights, gradient, state, lr, momentum):
    v = torch.zeros_like(weights)
    v = momentum * v + gradient
    weights -= lr * v
