# loses: suggest
# asks: That is half of the largest rate.
def suggest(rates, smoothed):
    return rates[-1] / 2
