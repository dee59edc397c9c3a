# loses: gpt
# asks: The norms are in it. From here on, products alone.
def gpt_flop(samples, length, width, layers, vocabulary):
    rows = samples * length
    network = 16 * rows * width**2
    scores = 2 * rows * width * vocabulary
    return (
        layers * (attention_flop(samples, length, width) + network)
        + scores
        + (2 * layers + 1) * norm_flop(samples, length, width)
    )
