# loses: no-thread-left
# sets a flag at which a thread that waits in put never looks
def prefetch(source, depth):
    box, stop = queue.Queue(depth), threading.Event()

    def work():
        try:
            for item in source:
                if stop.is_set():
                    return
                box.put(("item", item))
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
