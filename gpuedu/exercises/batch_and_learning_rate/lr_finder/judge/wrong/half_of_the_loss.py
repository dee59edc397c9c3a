# loses: suggest
# asks: That is half of the lowest *loss*. Of its rate?
def suggest(rates, smoothed):
    return min(smoothed) / 2
