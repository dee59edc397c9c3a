# loses: no-thread-left
# right as long as nobody stops early
def prefetch(source, depth):
    box = queue.Queue(depth)

    def work():
        try:
            for item in source:
                box.put(("item", item))
            box.put(("end", None))
        except Exception as fault:
            box.put(("fault", fault))

    threading.Thread(target=work, daemon=True).start()
    while True:
        kind, value = box.get()
        if kind == "end":
            return
        if kind == "fault":
            raise value
        yield value
