# loses: state
# asks: Without momentum nothing has to be kept.
def sgd(weights, gradient, state, lr, momentum):
    kept = state.setdefault("v", torch.zeros_like(weights))
    gradient = kept.mul_(momentum).add_(gradient)
    weights -= lr * gradient
