# a permit for each place, an endless queue
def prefetch(source, depth):
    box, permits, stop = queue.SimpleQueue(), threading.Semaphore(depth), threading.Event()

    def work():
        try:
            for item in source:
                permits.acquire()
                if stop.is_set():
                    return
                box.put((item, None, False))
            box.put((None, None, True))
        except BaseException as fault:
            box.put((None, fault, True))

    threading.Thread(target=work, daemon=True).start()
    try:
        while True:
            item, fault, is_over = box.get()
            if fault:
                raise fault
            if is_over:
                break
            permits.release()
            yield item
    finally:
        stop.set()
        permits.release()
