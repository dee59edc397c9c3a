# loses: suggest
# where the loss falls most from one rate to the next
def suggest(rates, smoothed):
    falls = [after - before for before, after in zip(smoothed, smoothed[1:])]
    return rates[falls.index(min(falls))]
