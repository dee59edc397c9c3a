# loses: no-thread-left
# asks: The thread ends, but only after it has read what nobody wants. How can it be told?
def prefetch(source, depth):
    box = queue.Queue(depth)

    def work():
        for item in source:
            box.put(item)
        box.put(box)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        while (item := box.get()) is not box:
            yield item
    finally:
        while thread.is_alive():
            try:
                box.get(timeout=0.01)
            except queue.Empty:
                pass
