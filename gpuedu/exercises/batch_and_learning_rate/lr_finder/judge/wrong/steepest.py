# loses: suggest
# asks: That is where the loss falls most steeply.
def suggest(rates, smoothed):
    falls = [after - before for before, after in zip(smoothed, smoothed[1:])]
    return rates[falls.index(min(falls))]
