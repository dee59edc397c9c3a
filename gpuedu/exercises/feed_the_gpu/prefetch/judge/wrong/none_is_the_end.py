# loses: edges
# asks: Some items are `0` or `None`, one is an exception object. What does your iterator take
#   for the end? An item can look like each of them.
def prefetch(source, depth):
    box = queue.Queue(depth)

    def work():
        for item in source:
            box.put(item)
        box.put(None)

    threading.Thread(target=work, daemon=True).start()
    while (item := box.get()) is not None:
        yield item
