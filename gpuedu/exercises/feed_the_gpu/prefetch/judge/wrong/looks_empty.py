# loses: no-thread-left
# asks: Your thread waits for room in the queue, and who should take an item out waits for the
#   thread, or is gone. How can the thread be set free? (Where it waits in `put`, a queue that
#   is empty after a `get` will not stay so: the item goes in next.)
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
