# loses: edges
def prefetch(source, depth):
    box, end = queue.Queue(depth), "end"

    def work():
        for item in source:
            box.put(item)
        box.put(end)

    threading.Thread(target=work, daemon=True).start()
    while True:
        item = box.get()
        if item == end:
            return
        yield item
