# loses: order
# asks: Two loops may read ahead at the same time. What do your two calls have in common?
boxes = {}


def prefetch(source, depth):
    box, stop = boxes.setdefault(depth, queue.Queue(depth)), threading.Event()

    def work():
        last = ("end", None)
        try:
            for item in source:
                box.put(("item", item))
                if stop.is_set():
                    break
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
