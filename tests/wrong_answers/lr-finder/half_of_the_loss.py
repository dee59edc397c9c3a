# loses: suggest
# a loss, not a rate
def suggest(rates, smoothed):
    return min(smoothed) / 2
