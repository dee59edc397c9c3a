# loses: no-thread-left
# the queue is empty for a moment, before the item that waits for room is in
def prefetch(source, depth):
    box, stop, faults, end = queue.Queue(depth), threading.Event(), [], object()

    def work():
        try:
            for item in source:
                if stop.is_set():
                    break
                box.put(item)
        except Exception as fault:
            faults.append(fault)
        box.put(end)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        while (item := box.get()) is not end:
            yield item
    finally:
        stop.set()
        while not box.empty():
            box.get()
        thread.join()
    if faults:
        raise faults[0]
