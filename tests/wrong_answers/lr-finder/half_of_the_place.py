# loses: suggest
# half of the place in the list
def suggest(rates, smoothed):
    return rates[smoothed.index(min(smoothed)) // 2]
