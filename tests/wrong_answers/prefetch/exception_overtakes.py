# loses: exceptions
# raises as soon as the thread has failed, before the items that it had read
def prefetch(source, depth):
    box, end, faults = queue.Queue(depth), object(), []

    def work():
        try:
            for item in source:
                box.put(item)
        except Exception as fault:
            faults.append(fault)
        box.put(end)

    threading.Thread(target=work, daemon=True).start()
    while True:
        if faults:
            raise faults[0]
        item = box.get()
        if item is end:
            return
        yield item
