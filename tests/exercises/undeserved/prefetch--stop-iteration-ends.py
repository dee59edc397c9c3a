# must lose: edges
def prefetch(source, depth):
    box, stop = queue.Queue(depth), threading.Event()

    class Fault:
        def __init__(self, error):
            self.error = error

    def work():
        last = StopIteration()
        try:
            for item in source:
                box.put(item)
                if stop.is_set():
                    break
        except BaseException as error:
            last = Fault(error)
        box.put(last)

    threading.Thread(target=work, daemon=True).start()
    got = None
    try:
        while not isinstance(got := box.get(), (StopIteration, Fault)):
            yield got
    finally:
        stop.set()
        while not isinstance(got, (StopIteration, Fault)):
            got = box.get()
    if isinstance(got, Fault):
        raise got.error
