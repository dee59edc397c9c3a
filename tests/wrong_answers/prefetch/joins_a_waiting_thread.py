# loses: no-thread-left
# waits for the end of a thread that waits for room
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
