# loses: gpt-step
# asks: That gives backward one product for each of the forward. It needs two: for the gradient
#   of the weights and for that of the inputs.
def gpt_step_flop(samples, length, width, layers, vocabulary):
    return 2 * gpt_flop(samples, length, width, layers, vocabulary)
