# loses: momentum


def sgd(weights, gradient, state, lr, momentum):
    if momentum:
        if "v" in state:
            state["v"] = momentum * state["v"] + gradient
        else:
            state["v"] = gradient
        gradient = state["v"]
    weights -= lr * gradient
