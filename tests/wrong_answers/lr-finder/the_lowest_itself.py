# loses: suggest
# where the fall ends
def suggest(rates, smoothed):
    return rates[smoothed.index(min(smoothed))]
