# must lose: order
def prefetch(source, depth):
    box, stop = queue.Queue(depth), threading.Event()

    def work():
        last = ("end", None)
        try:
            while not stop.is_set():
                box.put(("item", next(source)))
        except StopIteration:
            pass
        except BaseException as fault:
            last = ("fault", fault)
        box.put(last)

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
