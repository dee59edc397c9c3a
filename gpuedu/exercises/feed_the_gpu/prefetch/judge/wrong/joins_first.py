# loses: overlap
# asks: Who reads while the consumer is busy? Is the thread told to go on before the consumer's
#   step, or only afterwards?
def prefetch(source, depth):
    items = []
    thread = threading.Thread(target=lambda: items.extend(source))
    thread.start()
    thread.join()
    yield from items
