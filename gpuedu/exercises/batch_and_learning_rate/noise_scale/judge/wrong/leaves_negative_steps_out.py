# loses: averages
# asks: There steps with a negative signal were left out: what is left is too high on average.
def noise_scale(steps, few, many):
    def square(gradient):
        return sum(float((part**2).sum()) for part in gradient)

    pairs = [noise_terms(few, many, square(a), square(b)) for a, b in steps]
    pairs = [pair for pair in pairs if pair[0] > 0]
    if not pairs:
        return float("inf")
    return sum(pair[1] for pair in pairs) / sum(pair[0] for pair in pairs)
