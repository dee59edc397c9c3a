# gradients in float32, as a GPU has them
def noise_scale(steps, few, many):
    signals, noises = 0.0, 0.0
    for of_few, of_many in steps:
        few_square = sum(float(torch.sum(part.float() * part.float())) for part in of_few)
        many_square = sum(float(torch.sum(part.float() * part.float())) for part in of_many)
        signal, noise = noise_terms(few, many, few_square, many_square)
        signals, noises = signals + signal, noises + noise
    if signals <= 0:
        return float("inf")
    return (noises / len(steps)) / (signals / len(steps))
