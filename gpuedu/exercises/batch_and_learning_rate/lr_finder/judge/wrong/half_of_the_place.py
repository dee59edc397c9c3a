# loses: suggest
# asks: That is half of the *place* in the list. The rates are by equal factors.
def suggest(rates, smoothed):
    return rates[smoothed.index(min(smoothed)) // 2]
