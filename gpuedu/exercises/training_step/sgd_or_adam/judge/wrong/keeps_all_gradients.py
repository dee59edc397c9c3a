# loses: state
# asks: Without momentum nothing has to be kept.
def sgd(weights, gradient, state, lr, momentum):
    seen = state.setdefault("seen", [])
    seen.append(gradient.clone())
    weights -= lr * sum(momentum**age * g for age, g in enumerate(reversed(seen)))
