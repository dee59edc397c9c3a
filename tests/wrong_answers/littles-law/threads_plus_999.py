# loses: threads
# rounds up by adding 0.999
def threads_needed(l, b, t):
    return int(l * b / t + 0.999)
