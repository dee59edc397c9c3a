# loses: overlap
# asks: Who reads while the consumer is busy? Is the thread told to go on before the consumer's
#   step, or only afterwards?
def prefetch(source, depth):
    waiting = []
    for item in source:
        waiting.append(item)
        if len(waiting) > depth:
            yield waiting.pop(0)
    yield from waiting
