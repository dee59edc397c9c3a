# loses: exceptions
# the draft of the lesson
def prefetch(source, depth):
    box = queue.Queue()

    def work():
        for item in source:
            box.put(item)
        box.put(None)

    threading.Thread(target=work).start()
    while (item := box.get()) is not None:
        yield item
