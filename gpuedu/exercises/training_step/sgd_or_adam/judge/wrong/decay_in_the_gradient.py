# loses: decay
# asks: The decay went through the averages: Adam divides by the size of the gradient, and so
#   weakens the decay where gradients are large. AdamW decays apart from them.
def adamw(weights, gradient, state, lr, beta1, beta2, eps, decay):
    adam(weights, gradient + decay * weights, state, lr, beta1, beta2, eps)
