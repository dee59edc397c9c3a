# loses: momentum


def sgd(weights, gradient, state, lr, momentum):
    if momentum:
        kept = state.setdefault("v", torch.zeros_like(weights))
        kept.mul_(momentum).add_(gradient)
        gradient = gradient + momentum * kept
    weights -= lr * gradient
