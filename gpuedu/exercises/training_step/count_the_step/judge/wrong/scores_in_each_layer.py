# loses: gpt
# asks: That scores the vocabulary in every layer. It is done once, behind the last.
def gpt_flop(samples, length, width, layers, vocabulary):
    rows = samples * length
    network = 16 * rows * width**2
    scores = 2 * rows * width * vocabulary
    return layers * (attention_flop(samples, length, width) + network + scores)
