# loses: threads
# rounds up with round(x + 0.5), which goes to the even one
def threads_needed(l, b, t):
    return round(l * b / t + 0.5)
