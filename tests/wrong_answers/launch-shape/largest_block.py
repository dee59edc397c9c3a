# loses: lanes
# what is missing to 1,024
def empty_lanes(threads):
    return 1024 - threads
