# loses: order
# asks: Items are missing that count as False. How does your loop know that there is an item?
def prefetch(source, depth):
    box, stop = queue.Queue(depth), threading.Event()

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
            if isinstance(got[1], np.ndarray) or got[1]:
                yield got[1]
    finally:
        stop.set()
        while got[0] == "item":
            got = box.get()
    if got[0] == "fault":
        raise got[1]
