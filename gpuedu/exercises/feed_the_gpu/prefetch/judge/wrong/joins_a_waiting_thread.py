# loses: no-thread-left
# asks: Your thread waits for room in the queue, and who should take an item out waits for the
#   thread, or is gone. How can the thread be set free? (Where it waits in `put`, a queue that
#   is empty after a `get` will not stay so: the item goes in next.)
def prefetch(source, depth):
    box, stop = queue.Queue(depth), threading.Event()

    def work():
        for item in source:
            if stop.is_set():
                return
            box.put(item)
        box.put(box)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        while (item := box.get()) is not box:
            yield item
    finally:
        stop.set()
        thread.join()
