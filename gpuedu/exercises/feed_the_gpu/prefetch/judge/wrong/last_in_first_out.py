# loses: order
# asks: Does the consumer look whether the thread is alive before the queue is empty?
def prefetch(source, depth):
    box, end = queue.LifoQueue(depth), object()

    def work():
        for item in source:
            box.put(item)
        box.put(end)

    threading.Thread(target=work, daemon=True).start()
    while (item := box.get()) is not end:
        yield item
