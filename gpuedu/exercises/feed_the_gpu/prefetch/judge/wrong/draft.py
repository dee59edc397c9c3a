# loses: exceptions
# asks: The source's exception ended your thread, and nobody told the consumer. What can travel
#   through the queue besides items? (And does your thread keep every exception, or those of one
#   type?)
def prefetch(source, depth):
    box = queue.Queue()

    def work():
        for item in source:
            box.put(item)
        box.put(None)

    threading.Thread(target=work).start()
    while (item := box.get()) is not None:
        yield item
