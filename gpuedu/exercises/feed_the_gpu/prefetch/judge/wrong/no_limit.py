# loses: bounded
# asks: 1 may wait, and the thread may have one more in its hand. What makes the thread wait
#   when the consumer is slow?
def prefetch(source, depth):
    box, stop = queue.Queue(), threading.Event()

    def work():
        try:
            for item in source:
                box.put(("item", item))
                if stop.is_set():
                    return
            box.put(("end", None))
        except Exception as fault:
            box.put(("fault", fault))

    threading.Thread(target=work, daemon=True).start()
    try:
        while True:
            kind, value = box.get()
            if kind == "end":
                return
            if kind == "fault":
                raise value
            yield value
    finally:
        stop.set()
