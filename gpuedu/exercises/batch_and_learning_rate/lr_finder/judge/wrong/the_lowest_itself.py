# loses: suggest
# asks: That is the rate of the lowest loss itself, where the fall has just come to its end.
def suggest(rates, smoothed):
    return rates[smoothed.index(min(smoothed))]
