# loses: lanes
# counts the lanes that have a thread
def empty_lanes(threads):
    return threads % 32
