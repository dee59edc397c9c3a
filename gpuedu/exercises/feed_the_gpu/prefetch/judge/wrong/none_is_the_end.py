# loses: edges
def prefetch(source, depth):
    box = queue.Queue(depth)

    def work():
        for item in source:
            box.put(item)
        box.put(None)

    threading.Thread(target=work, daemon=True).start()
    while (item := box.get()) is not None:
        yield item
