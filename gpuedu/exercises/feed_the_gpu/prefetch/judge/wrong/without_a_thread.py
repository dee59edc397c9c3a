# loses: overlap
def prefetch(source, depth):
    waiting = []
    for item in source:
        waiting.append(item)
        if len(waiting) > depth:
            yield waiting.pop(0)
    yield from waiting
