# loses: gpt
# asks: The last product is missing: scores for each of `vocabulary` characters.
def gpt_flop(samples, length, width, layers, vocabulary):
    rows = samples * length
    network = 16 * rows * width**2
    scores = 2 * rows * width * vocabulary
    return layers * (attention_flop(samples, length, width) + network)
