# loses: order
# asks: Does the consumer look whether the thread is alive before the queue is empty?
def prefetch(source, depth):
    box = queue.Queue(depth)

    def work():
        for item in source:
            box.put(item)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    while thread.is_alive():
        try:
            yield box.get(timeout=0.001)
        except queue.Empty:
            pass
