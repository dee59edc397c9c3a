# loses: momentum
# asks: Did you keep the gradient tensor itself? The next backward writes into it. Keep a copy.
def sgd(weights, gradient, state, lr, momentum):
    if momentum:
        if "v" in state:
            state["v"] = momentum * state["v"] + gradient
        else:
            state["v"] = gradient
        gradient = state["v"]
    weights -= lr * gradient
