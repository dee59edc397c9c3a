# loses: suggest
# asks: That is a tenth of it.
def suggest(rates, smoothed):
    return rates[smoothed.index(min(smoothed))] / 10
