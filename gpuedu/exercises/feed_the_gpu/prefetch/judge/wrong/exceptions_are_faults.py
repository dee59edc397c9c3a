# loses: edges
# asks: How does your iterator tell an item from what went wrong?
def prefetch(source, depth):
    box, stop, end = queue.Queue(depth), threading.Event(), object()

    def work():
        last = end
        try:
            for item in source:
                box.put(item)
                if stop.is_set():
                    break
        except Exception as fault:
            last = fault
        box.put(last)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    item = None
    try:
        while (item := box.get()) is not end:
            if isinstance(item, Exception):
                raise item
            yield item
    finally:
        stop.set()
        while thread.is_alive():
            try:
                box.get(timeout=0.001)
            except queue.Empty:
                pass
