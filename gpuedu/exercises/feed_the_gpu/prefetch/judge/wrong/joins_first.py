# loses: overlap
def prefetch(source, depth):
    items = []
    thread = threading.Thread(target=lambda: items.extend(source))
    thread.start()
    thread.join()
    yield from items
