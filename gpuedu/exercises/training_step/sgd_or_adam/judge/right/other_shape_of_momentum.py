def sgd(weights, gradient, state, lr, momentum):
    v = momentum * state.get("v", 0) + gradient
    if momentum:
        state["v"] = v
    weights.copy_(weights - lr * v)
