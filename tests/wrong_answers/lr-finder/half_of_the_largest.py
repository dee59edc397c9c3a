# loses: suggest
# half of the last rate
def suggest(rates, smoothed):
    return rates[-1] / 2
