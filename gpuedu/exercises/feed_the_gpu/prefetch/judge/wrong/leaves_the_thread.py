# loses: no-thread-left
# asks: A generator that is closed gets `GeneratorExit` at its `yield`, so a `finally` there
#   runs. A thread that waits in `put` sees no flag: who makes room for it?
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
