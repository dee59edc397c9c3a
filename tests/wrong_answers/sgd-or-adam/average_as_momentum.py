# loses: momentum


def sgd(weights, gradient, state, lr, momentum):
    if momentum:
        kept = state.setdefault("v", torch.zeros_like(weights))
        gradient = kept.mul_(momentum).add_((1 - momentum) * gradient)
    weights -= lr * gradient
