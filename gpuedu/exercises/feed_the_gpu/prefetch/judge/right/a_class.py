# an iterator of its own, with a flag that put looks at
class Prefetcher:
    def __init__(self, source, depth):
        self.source = source
        self.box = queue.Queue(depth)
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def hand_over(self, kind, value):
        while not self.stop.is_set():
            try:
                self.box.put((kind, value), timeout=0.005)
                return
            except queue.Full:
                continue

    def work(self):
        try:
            for item in self.source:
                self.hand_over("item", item)
                if self.stop.is_set():
                    return
            self.hand_over("end", None)
        except BaseException as fault:
            self.hand_over("fault", fault)

    def __iter__(self):
        return self

    def __next__(self):
        kind, value = self.box.get()
        if kind == "item":
            return value
        self.close()
        raise value if kind == "fault" else StopIteration

    def close(self):
        self.stop.set()
        self.thread.join()


def prefetch(source, depth):
    return Prefetcher(source, depth)
