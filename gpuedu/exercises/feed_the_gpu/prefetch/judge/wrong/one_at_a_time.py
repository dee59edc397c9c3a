# loses: overlap
def prefetch(source, depth):
    items, end = iter(source), object()
    box = queue.Queue(depth)
    while True:
        thread = threading.Thread(target=lambda: box.put(next(items, end)))
        thread.start()
        item = box.get()
        thread.join()
        if item is end:
            return
        yield item
