# loses: no-thread-left
# asks: After the exception your thread puts more into the queue. Who takes that out?
def prefetch(source, depth):
    box, stop = queue.Queue(depth), threading.Event()

    def work():
        try:
            for item in source:
                box.put(("item", item))
                if stop.is_set():
                    break
        except BaseException as fault:
            box.put(("fault", fault))
            box.put(("failed", None))
        box.put(("end", None))

    threading.Thread(target=work, daemon=True).start()
    got = ("item", None)
    try:
        while (got := box.get())[0] == "item":
            yield got[1]
    finally:
        stop.set()
        while got[0] == "item":
            got = box.get()
    if got[0] == "fault":
        raise got[1]
