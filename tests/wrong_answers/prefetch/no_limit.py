# loses: bounded
# right, but for a queue without a limit
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
